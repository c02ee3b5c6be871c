-- What hosts have answered and what people note: texts that were lost or refused before. A host has a comment and an affinity
-- group a description, as clients of oVirt send them. That of a host is versioned like the rest of its definition.

DO $$
DECLARE
    target text;
BEGIN
    FOREACH target IN ARRAY ARRAY ['host_static', 'host_configuration'] LOOP
        EXECUTE format('ALTER TABLE %I ADD COLUMN comment text NOT NULL DEFAULT ''''', target);
        EXECUTE format('COMMENT ON COLUMN %I.comment IS %L', target,
                       'Comment, at most 4000 characters, perhaps empty. Owner: engine.');
    END LOOP;
END
$$;

ALTER TABLE affinity_group ADD COLUMN description text NOT NULL DEFAULT '';

COMMENT ON COLUMN affinity_group.description IS 'Free text, at most 4000 characters, perhaps empty. Owner: engine.';

-- A start that failed on every host says what each of them answered, also if the engine was restarted between two attempts.
ALTER TABLE operation ADD COLUMN tried_answers text[] NOT NULL DEFAULT '{}';

COMMENT ON COLUMN operation.tried_answers IS 'Why it failed on each of tried_hosts, in their order; those of an earlier version are missing. Owner: engine.';
