"""What does the database do when answers are written down? One statement each, one round trip.

Everything is read from the stored answers themselves, so what is reserved cannot differ from what is
said. Ids are made by the server, in order of birth; a decision to place has the id of the attempt it began.
"""

from alldata.kernel.ids import numbered_sql
from alldata.outbox.prepared import Prepared
from alldata.outbox.publish import written_sql
from profiles.dimensions import ADDITIVE
from scheduling.lifecycle import AllocationState, AttemptState, JobState

TOTALS = ", ".join(f"sum(amount) FILTER (WHERE dimension = '{d}')::bigint AS {d}" for d in ADDITIVE)
RAISED = ", ".join(f"reserved_{d} = held.reserved_{d} + COALESCE(total.{d}, 0)" for d in ADDITIVE)
ROOM = " AND ".join(f"(total.{d} IS NULL OR held.capacity_{d} >= held.reserved_{d} + total.{d})" for d in ADDITIVE)
KNOWN = ", ".join(f"'{d}'" for d in ADDITIVE)

#: Given answers (JSON array of placements), now (ms), seen (planner input), the fact to tell of each ({name, fields},
#: without its job and project) and who is owed it. Raises a check violation unless every placement holds. A gang is one
#: answer with its `members`: an attempt for each with its own part of the answer, of one ordinal, no two on one node.
#: The server cannot guess how many there are; `= ANY(ARRAY(...))` keeps it from reading whole tables in case of many.
COMMIT = Prepared(
    "commit_placements",
    "jsonb, bigint, uuid, jsonb, text[]",
    f"""
WITH birth AS MATERIALIZED (SELECT uuidv7() AS id
), said AS MATERIALIZED (
  SELECT place, {numbered_sql("row_number() OVER ()")} AS attempt_id, (whole->>'job')::uuid AS job_id,
    node.id AS node_id, node.engine, COALESCE(own, whole) AS answer, COALESCE(part, 1) AS part,
    jsonb_array_length(whole->'members') AS members, CASE WHEN part = 1 THEN whole END AS gang
  FROM jsonb_array_elements($1) WITH ORDINALITY AS answers (whole, place)
  LEFT JOIN LATERAL jsonb_array_elements(whole->'members') WITH ORDINALITY AS parts (own, part) ON true
  LEFT JOIN LATERAL (
    SELECT id, engine FROM scheduling_node WHERE name = COALESCE(own, whole)->>'node' OFFSET 0) AS node ON true
), picked AS MATERIALIZED (
  SELECT place, attempt_id, device.id AS device_id, device.cpus AS has, pick->'amounts' AS amounts,
    NULLIF(btrim(pick->>'cpus', '[]'), '') AS cpus
  FROM said CROSS JOIN jsonb_array_elements(answer->'picks') AS pick LEFT JOIN LATERAL (
    SELECT id, cpus FROM scheduling_device WHERE uuid = pick->>'device' AND node_id = said.node_id
      AND retired_ms IS NULL OFFSET 0) AS device ON true
), claimed AS MATERIALIZED (
  SELECT place, attempt_id, device_id, key AS dimension, sum(value::bigint)::bigint AS amount,
    bool_and(value::bigint > 0 AND (cpus IS NULL OR ('{{' || cpus || '}}')::int[] <@ has)) AS sound,
    ('{{' || COALESCE(string_agg(cpus, ',') FILTER (WHERE key = 'cpu_millicores'), '') || '}}')::int[] AS cpus
  FROM picked CROSS JOIN jsonb_each_text(amounts) GROUP BY 1, 2, 3, 4
), total AS MATERIALIZED (SELECT device_id, {TOTALS} FROM claimed GROUP BY 1
), taken AS (
  UPDATE scheduling_job AS job SET state = '{JobState.ADMITTED}', reason = '', changed_ms = $2, rev = rev + 1
  FROM said WHERE job.id = ANY(ARRAY(SELECT job_id FROM said)) AND job.id = said.job_id
    AND said.part = 1 AND job.state = '{JobState.QUEUED}' AND job.stop_requested = ''
  RETURNING job.id AS job_id, job.project_id, said.attempt_id
), reserved AS (
  UPDATE scheduling_devicecapacity AS held SET {RAISED}
  FROM total WHERE held.device_id = ANY(ARRAY(SELECT device_id FROM total)) AND held.device_id = total.device_id
    AND NOT held.overcommitted AND {ROOM} RETURNING 1
), attempts AS (
  INSERT INTO scheduling_attempt (id, job_id, project_id, ordinal, member, members, component, placement, engine,
    node_id, state, created_ms, changed_ms, reason, detail, endpoint, limits, progress)
  SELECT said.attempt_id, job_id, project_id,
    1 + COALESCE((SELECT max(ordinal) FROM scheduling_attempt AS earlier WHERE earlier.job_id = taken.job_id), 0),
    part - 1, GREATEST(1, members), left(COALESCE(answer->>'component', ''), 80),
    CASE WHEN members > 0 THEN answer END, engine,
    node_id, '{AttemptState.PLACING}', $2, $2, '', '', '{{}}', '{{}}', '{{}}' FROM said JOIN taken USING (job_id)
), allocations AS (
  INSERT INTO scheduling_allocation (attempt_id, device_id, dimension, amount, cpus, state, start_ms)
  SELECT attempt_id, device_id, dimension, amount, cpus, '{AllocationState.RESERVED}', $2 FROM claimed
), decisions AS (
  INSERT INTO scheduling_decision (id, job_id, project_id, planner_input_id, at_ms, outcome, answer)
  SELECT attempt_id, job_id, project_id, $3, $2, 'placed', COALESCE(gang, answer)
  FROM said JOIN taken USING (attempt_id, job_id)
), told AS (
  SELECT attempt_id AS id, $4->>'name' AS name, project_id, $5 AS owed,
    $4->'fields' || jsonb_build_object('job_id', job_id, 'project_id', project_id) AS fields FROM taken
), {written_sql("told", "$2")}
SELECT CASE WHEN (SELECT count(*) FROM taken) = (SELECT count(*) FROM said WHERE part = 1)
  AND NOT EXISTS (SELECT FROM said GROUP BY job_id, node_id HAVING count(*) > 1)
  AND (SELECT count(*) FROM reserved) = (SELECT count(*) FROM total)
  AND NOT EXISTS (SELECT FROM claimed WHERE NOT sound OR dimension NOT IN ({KNOWN}))
  AND NOT EXISTS (SELECT FROM claimed, unnest(cpus) AS cpu GROUP BY device_id, cpu HAVING count(*) > 1)
  AND NOT EXISTS (SELECT FROM scheduling_allocation AS live JOIN claimed USING (device_id)
    WHERE live.device_id = ANY(ARRAY(SELECT device_id FROM claimed WHERE cpus <> '{{}}'))
      AND live.state <> '{AllocationState.RELEASED}' AND live.cpus <> '{{}}' AND live.cpus && claimed.cpus)
THEN true ELSE scheduling_refuse('a placement does not hold') END""",
)

#: Around it: where statistics are of a time when tables were empty, the server would read them whole, ever longer.
BY_INDEX = "SET LOCAL enable_seqscan = off;"
AS_BEFORE = ";SET LOCAL enable_seqscan TO DEFAULT"

#: The same parameters; answers that no longer held.
CONFLICTS = """
INSERT INTO scheduling_decision (id, job_id, project_id, planner_input_id, at_ms, outcome, answer)
SELECT uuidv7(), job.id, job.project_id, %(seen)s, %(now)s, 'conflicted', said
FROM jsonb_array_elements(%(answers)s::jsonb) AS said JOIN scheduling_job AS job ON job.id = (said->>'job')::uuid
LEFT JOIN LATERAL (SELECT outcome, answer FROM scheduling_decision WHERE job_id = job.id
  ORDER BY at_ms DESC, id DESC LIMIT 1) AS latest ON true
WHERE (latest.outcome, latest.answer) IS DISTINCT FROM ('conflicted', said)"""

#: Parameters: bodies (JSON array of {answer, reason, facts}), jobs and which (a body's place, from 1, for each job),
#: now, seen. A waiting job says why; unchanged reasons write nothing.
REFUSE = f"""
WITH birth AS MATERIALIZED (SELECT uuidv7() AS id
), body AS MATERIALIZED (
  SELECT place, said->'answer' AS answer, said->>'reason' AS reason, said->'facts' AS facts
  FROM jsonb_array_elements(%(bodies)s::jsonb) WITH ORDINALITY AS bodies (said, place)
), changed AS (
  UPDATE scheduling_job AS job SET reason = body.reason, reason_facts = body.facts, rev = rev + 1
  FROM unnest(%(jobs)s::uuid[], %(which)s::int[]) AS said (job_id, which) JOIN body ON body.place = said.which
  WHERE job.id = said.job_id AND job.state = '{JobState.QUEUED}'
    AND (job.reason <> body.reason OR job.reason_facts <> body.facts)
  RETURNING job.id, job.project_id, body.answer
)
INSERT INTO scheduling_decision (id, job_id, project_id, planner_input_id, at_ms, outcome, answer)
SELECT {numbered_sql("row_number() OVER ()")}, id, project_id, %(seen)s, %(now)s, 'refused',
  answer || jsonb_build_object('job', id) FROM changed"""
