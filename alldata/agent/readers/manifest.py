"""Which Kubernetes objects are in this file? JSON as kubectl prints it: one object or a list."""

import re
from typing import Any

from alldata.agent.readers.document import Document, json_of
from alldata.agent.readers.kubernetes import read_nodes
from alldata.agent.readers.records import Reading
from alldata.agent.readers.resource_slice import read_slices

_KIND = re.compile(r'"kind"\s*:\s*"(Node|NodeList|ResourceSlice|ResourceSliceList)"')


def recognises(document: Document) -> bool:
    return document.text.lstrip().startswith(("{", "[")) and _KIND.search(document.text) is not None


def read(document: Document) -> Reading:
    plain, fault = json_of(document)
    if fault:
        return Reading("k8s_node", complaints=(fault,))
    items = _objects(plain)
    slices = [item for item in items if item.get("kind") == "ResourceSlice"]
    return read_slices(slices) if slices else read_nodes([item for item in items if item.get("kind") == "Node"])


def _objects(plain: Any) -> list[dict[str, Any]]:
    """Members of a typed list (NodeList) do not say their kind again."""
    if isinstance(plain, list):
        return [item for item in plain if isinstance(item, dict)]
    if not isinstance(plain, dict):
        return []
    if not isinstance(plain.get("items"), list):
        return [plain]
    kind = str(plain.get("kind", "")).removesuffix("List")
    return [({"kind": kind} if kind else {}) | item for item in plain["items"] if isinstance(item, dict)]
