-- Texts that people put on hosts and on affinity groups, as clients of oVirt send them: a host has a comment, a group has a
-- description. That of a host is versioned like the rest of its definition.

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
