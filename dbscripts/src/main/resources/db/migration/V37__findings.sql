-- Regressions of the fleet that the engine found: a row each. The rows are few; those that ended are deleted when they are
-- too old. Nothing refers to the tables of VMs and hosts: a finding outlives its members.

CREATE TABLE finding (
    finding_id  uuid        PRIMARY KEY,
    detected_at timestamptz NOT NULL,
    begins_at   timestamptz NOT NULL,
    ended_at    timestamptz,
    level       text        NOT NULL CHECK (length(level) <= 40),
    subject     text        NOT NULL CHECK (length(subject) <= 400),
    details     jsonb       NOT NULL
);

CREATE INDEX idx_finding_detected ON finding (detected_at);

COMMENT ON TABLE finding IS 'Regressions that the engine found.';
COMMENT ON COLUMN finding.finding_id IS 'Identity, made from object and begin. Owner: engine.';
COMMENT ON COLUMN finding.detected_at IS 'When it was found. Owner: engine.';
COMMENT ON COLUMN finding.begins_at IS 'Most likely begin of the regression. Owner: engine.';
COMMENT ON COLUMN finding.ended_at IS 'When it ended, null while it lasts. Owner: engine.';
COMMENT ON COLUMN finding.level IS 'Kind of the object: disk, interface, vm, storage-path, host, storage-domain, cluster. Owner: engine.';
COMMENT ON COLUMN finding.subject IS 'The object within its kind. Owner: engine.';
COMMENT ON COLUMN finding.details IS 'The whole finding: changes, members, coincidences, points. Owner: engine.';
