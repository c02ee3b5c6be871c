-- What the engine believed about each VM and host, and why: a row for each transition, written once and never changed.
-- Nothing refers to the tables of VMs and hosts: what was deleted keeps its rows until they are too old. Partitions of a
-- day are made ahead and dropped by maintain_beliefs (db/view).

DO $$
DECLARE
    subject text;
    name text;
BEGIN
    FOREACH subject IN ARRAY ARRAY['vm', 'host'] LOOP
        name := subject || '_belief';
        EXECUTE format(
            'CREATE TABLE %I (
                 %I          uuid        NOT NULL,
                 at          timestamptz NOT NULL,
                 revision    bigint      NOT NULL,
                 received_at timestamptz NOT NULL,
                 cause       smallint    NOT NULL,
                 reporter_id uuid,
                 host_stamp  bigint,
                 rule        text        NOT NULL CHECK (length(rule) <= 100),
                 scenario    smallint    NOT NULL,
                 before      smallint    NOT NULL,
                 status      smallint    NOT NULL,
                 run_on      uuid,
                 migrating_to uuid,
                 decided     integer     NOT NULL,
                 PRIMARY KEY (%2$I, at, revision)
             ) PARTITION BY RANGE (at)', name, subject || '_id');
        EXECUTE format('COMMENT ON TABLE %I IS %L', name,
                       'Transitions of ' || subject || 's, one row each. Partitioned by day.');
        EXECUTE format('COMMENT ON COLUMN %I.%I IS %L', name, subject || '_id',
                       'The ' || subject || '; it may be gone. Owner: engine.');
        EXECUTE format('COMMENT ON COLUMN %I.at IS %L', name, 'When it was decided. Owner: engine.');
        EXECUTE format('COMMENT ON COLUMN %I.revision IS %L', name, 'Revision of the change feed. Owner: engine.');
        EXECUTE format('COMMENT ON COLUMN %I.received_at IS %L', name,
                       'When the report that led to it arrived; the time of the decision without a report. Owner: engine.');
        EXECUTE format('COMMENT ON COLUMN %I.cause IS %L', name, 'Code of BeliefCause. Owner: engine.');
        EXECUTE format('COMMENT ON COLUMN %I.reporter_id IS %L', name,
                       'The host that the cause is about, null for none. Owner: engine.');
        EXECUTE format('COMMENT ON COLUMN %I.host_stamp IS %L', name,
                       'The host''s own stamp of the report: ms of its monotonic clock, null without one. Owner: reported.');
        EXECUTE format('COMMENT ON COLUMN %I.rule IS %L', name, 'The rule that decided. Owner: engine.');
        EXECUTE format('COMMENT ON COLUMN %I.scenario IS %L', name,
                       'Its scenario (docs/reference/scenarios.md), 0 for none. Owner: engine.');
        EXECUTE format('COMMENT ON COLUMN %I.before IS %L', name, 'Code of the status before. Owner: engine.');
        EXECUTE format('COMMENT ON COLUMN %I.status IS %L', name, 'Code of the status from then on. Owner: engine.');
        EXECUTE format('COMMENT ON COLUMN %I.run_on IS %L', name,
                       'The responsible host of a VM from then on, null for none. Owner: engine.');
        EXECUTE format('COMMENT ON COLUMN %I.migrating_to IS %L', name,
                       'Where a VM migrates to from then on, null for nowhere. Owner: engine.');
        EXECUTE format('COMMENT ON COLUMN %I.decided IS %L', name,
                       'What followed, bits of DecisionKind. Owner: engine.');
    END LOOP;
END
$$;
