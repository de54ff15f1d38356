"""How does a program speak to the platform? One small client over REST, with the server's own words in its errors."""

from types import TracebackType
from typing import Any, Self

import httpx

Json = dict[str, Any]


class Refused(RuntimeError):
    """The server said no: its stable code and its sentence."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(status, code, detail)
        self.status, self.code, self.detail = status, code, detail

    def __str__(self) -> str:
        return f"{self.detail} ({self.code})"


class Unreachable(RuntimeError):
    """No answer from the server."""


class Client:
    """Calls of one token on one server. Closing it closes its connections."""

    def __init__(self, server: str, token: str) -> None:
        self._http = httpx.Client(
            base_url=server.rstrip("/") + "/api/v1/",
            headers={"Authorization": f"Bearer {token}"},
            timeout=30.0,
            trust_env=False,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._http.close()

    def publish_profile(self, document: str, *, name: str, version: str) -> Json:
        """Upload an RCDL document and make that version immutable; a version published before is returned."""
        media = {"Content-Type": "application/yaml"}
        try:
            self._send(self._http.build_request("POST", "profiles", content=document, headers=media))
            return self._post(f"profiles/{name}/{version}/publish")
        except Refused as refusal:
            if refusal.status != httpx.codes.CONFLICT:
                raise
            return self._get(f"profiles/{name}/{version}")

    def submit(self, body: Json, *, request_id: str) -> Json:
        """Queue a job; the same request id never queues a second one."""
        headers = {"Idempotency-Key": request_id}
        return self._send(self._http.build_request("POST", "jobs", json=body, headers=headers))

    def schedule(self, body: Json, *, request_id: str | None) -> Json:
        """Where it would go; with `"reserve": true` the place is held, once per request id."""
        headers = {"Idempotency-Key": request_id} if request_id else {}
        return self._send(self._http.build_request("POST", "schedule", json=body, headers=headers))

    def reservations(self) -> Json:
        return self._get("reservations")

    def release(self, reservation: str) -> Json:
        return self._send(self._http.build_request("DELETE", f"reservations/{reservation}"))

    def decision(self, job: str, number: int = 0) -> Json:
        """The whole table of a decision; 0 is the latest."""
        return self._get(f"jobs/{job}/decisions/{number}?limit=2000")

    def jobs(self) -> Json:
        return self._get("jobs")

    def job(self, reference: str) -> Json:
        return self._get(f"jobs/{reference}")

    def log(self, reference: str, *, after: int = 0) -> Json:
        return self._get(f"jobs/{reference}/logs?after={after}")

    def metrics(self, reference: str) -> Json:
        return self._get(f"jobs/{reference}/metrics")

    def cancel(self, reference: str) -> Json:
        return self._post(f"jobs/{reference}/cancel")

    def cost(self, reference: str) -> Json:
        return self._get(f"cost/jobs/{reference}")

    def pipelines(self, job: str) -> Json:
        return self._get(f"pipelines?job={job}")

    def resources(self) -> Json:
        return self._get("resources")

    def _get(self, path: str) -> Json:
        return self._send(self._http.build_request("GET", path))

    def _post(self, path: str) -> Json:
        return self._send(self._http.build_request("POST", path))

    def _send(self, request: httpx.Request) -> Json:
        try:
            response = self._http.send(request)
        except httpx.HTTPError as failure:
            raise Unreachable(f"no answer from {self._http.base_url}: {failure}") from failure
        if response.is_error:
            raise _refusal(response)
        answer: Json = response.json() if response.content else {}
        return answer


def _refusal(response: httpx.Response) -> Refused:
    """The problem document of an answer, or the status alone where there is none."""
    kind = response.headers.get("content-type", "")
    problem: Json = response.json() if "json" in kind else {}
    detail = problem.get("detail") or problem.get("title") or f"HTTP {response.status_code}"
    return Refused(response.status_code, str(problem.get("code", "http_error")), str(detail))
