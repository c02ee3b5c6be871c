-- Runs of the benchmark of disks that agents posted: a row each, written once. Rows are few (an agent posts some a day) and are
-- deleted when they are too old. Nothing refers to the tables of VMs and hosts: a run outlives its object. Agents have a role of
-- their own.

CREATE TABLE benchmark_run (
    run_id     uuid        PRIMARY KEY,
    started_at timestamptz NOT NULL,
    subject    text        NOT NULL CHECK (length(subject) <= 60),
    details    jsonb       NOT NULL
);

CREATE INDEX idx_benchmark_run_started ON benchmark_run (started_at);

ALTER TABLE user_grant DROP CONSTRAINT user_grant_role_check;
ALTER TABLE user_grant ADD CONSTRAINT user_grant_role_check
    CHECK (role IN ('administrator', 'operator', 'reader', 'scraper', 'benchmarker'));

COMMENT ON TABLE benchmark_run IS 'Runs of the benchmark of disks.';
COMMENT ON COLUMN benchmark_run.run_id IS 'Identity. Owner: agent.';
COMMENT ON COLUMN benchmark_run.started_at IS 'When it began. Owner: agent.';
COMMENT ON COLUMN benchmark_run.subject IS 'The VM or host: vm:ID or host:ID. Owner: agent.';
COMMENT ON COLUMN benchmark_run.details IS 'The whole run: setup, results in MB/s. Owner: agent.';
COMMENT ON COLUMN user_grant.role IS 'The role: administrator, operator, reader, scraper or benchmarker. Owner: engine.';
COMMENT ON COLUMN finding.level IS 'Kind of the object: disk, interface, vm, storage-path, host, storage-domain, cluster, benchmark-cell, benchmark-operation, benchmark-record-size, benchmark. Owner: engine.';
