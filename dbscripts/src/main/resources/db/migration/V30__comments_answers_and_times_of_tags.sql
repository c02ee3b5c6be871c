-- Texts that were lost or refused before, and times of tags. A host has a comment and an affinity
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

-- A data warehouse asks which tags are new or changed since it has last read.
ALTER TABLE tag
    ADD COLUMN created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    ADD COLUMN changed_at timestamptz;
ALTER TABLE tag_vm ADD COLUMN attached_at timestamptz NOT NULL DEFAULT clock_timestamp();
ALTER TABLE tag_host ADD COLUMN attached_at timestamptz NOT NULL DEFAULT clock_timestamp();

COMMENT ON COLUMN tag.created_at IS 'When it was added; for tags of an earlier version, when that was replaced. Owner: engine.';
COMMENT ON COLUMN tag.changed_at IS 'When its name, description or place was changed last, null if never. Owner: engine.';
COMMENT ON COLUMN tag_vm.attached_at IS 'When the VM got the tag. Owner: engine.';
COMMENT ON COLUMN tag_host.attached_at IS 'When the host got the tag. Owner: engine.';
