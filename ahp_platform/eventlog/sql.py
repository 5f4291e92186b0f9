"""Which statements does the log run on its hot path?

`APPEND` is the whole write of a batch in one round trip: it takes the clock only if nobody wrote since we looked, and
inserts nothing otherwise. Arrays are bound in binary (`%b`): as text they cost seven times as much.
"""

from __future__ import annotations

# The division by zero is how a statement in the middle of a pipeline says that somebody else wrote: it takes everything
# that was sent with it along.
APPEND = """
WITH clock AS (
    UPDATE eventlog_tenantclock SET seq = seq + %(count)s
    WHERE tenant_id = %(tenant)s AND seq = %(expected)s RETURNING seq
), appended AS (
    INSERT INTO eventlog_event
        (tenant_id, seq, kind, channel, body, client_id, client_life, client_seq, user_id, readers, recorded_at)
    SELECT %(tenant)s, %(expected)s + e.ord, e.kind, e.channel, e.body, e.client_id, e.client_life, e.client_seq,
        e.user_id, e.readers::int[], to_timestamp(%(now_ms)s / 1000.0)
    FROM clock, unnest(
        %(kinds)b::int2[], %(channels)b::text[], %(bodies)b::text[], %(client_ids)b::text[], %(client_lives)b::int4[],
        %(client_seqs)b::int8[], %(user_ids)b::int4[], %(readers)b::text[]
    ) WITH ORDINALITY AS e(kind, channel, body, client_id, client_life, client_seq, user_id, readers, ord)
)
SELECT 1 / count(*) FROM clock
"""

LOCK_CLOCK = "SELECT seq FROM eventlog_tenantclock WHERE tenant_id = %s FOR UPDATE"

CLOCK = "SELECT seq, floor FROM eventlog_tenantclock WHERE tenant_id = %s"

CLOCKS = "SELECT tenant_id, seq FROM eventlog_tenantclock WHERE tenant_id = ANY(%s)"

AFTER = """
SELECT seq, kind, channel, body, client_id, client_seq, user_id, readers, (extract(epoch FROM recorded_at) * 1000)::int8
FROM eventlog_event WHERE tenant_id = %s AND seq > %s ORDER BY seq LIMIT %s
"""

REPLAY = """
SELECT seq, kind, channel, body, client_id, client_seq, user_id, readers, (extract(epoch FROM recorded_at) * 1000)::int8
FROM eventlog_event
WHERE tenant_id = %s AND seq > %s AND seq <= %s AND channel = ANY(%s) AND kind = 0 ORDER BY seq
"""

LOAD_CHANNEL = """
SELECT c.kind, c.parent, c.readers, c.opened_by, c.opened_ms, c.born_seq, c.state, c.state_seq, t.seq
FROM eventlog_tenantclock t LEFT JOIN eventlog_channel c ON c.tenant_id = t.tenant_id AND c.uri = %s
WHERE t.tenant_id = %s
"""

LOAD_SEGMENTS = "SELECT body FROM eventlog_segment WHERE tenant_id = %s AND channel = %s ORDER BY ordinal"

LOAD_ACTIONS = """
SELECT body, (extract(epoch FROM recorded_at) * 1000)::int8 FROM eventlog_event
WHERE tenant_id = %s AND channel = %s AND seq > %s AND kind = 0 ORDER BY seq
"""

DISPATCHED = """
SELECT client_id, client_seq, client_life FROM eventlog_event
WHERE tenant_id = %s AND (client_id, client_life, client_seq) IN (
    SELECT * FROM unnest(%s::text[], %s::int4[], %s::int8[]))
"""

OPEN_CHANNEL = """
INSERT INTO eventlog_channel
    (tenant_id, uri, kind, parent, readers, opened_by, opened_ms, born_seq, state_seq, state)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
"""

CHECKPOINT = "UPDATE eventlog_channel SET state = %s, state_seq = %s WHERE tenant_id = %s AND uri = %s"

SET_READERS = "UPDATE eventlog_channel SET readers = %s WHERE tenant_id = %s AND uri = %s"

CLOSE_CHANNEL = "DELETE FROM eventlog_channel WHERE tenant_id = %s AND uri = %s"

DROP_SEGMENTS = "DELETE FROM eventlog_segment WHERE tenant_id = %s AND channel = %s AND ordinal >= %s"

ADD_SEGMENTS = """
INSERT INTO eventlog_segment (tenant_id, channel, ordinal, body)
SELECT %s, %s, %s + s.ord - 1, s.body FROM unnest(%b::text[]) WITH ORDINALITY AS s(body, ord)
"""
