-- What was decided about a host besides its status, and what monitoring left to commands about hosts.

ALTER TABLE host_dynamic
    ADD COLUMN previous_status        smallint NOT NULL DEFAULT 0,
    ADD COLUMN non_operational_reason smallint NOT NULL DEFAULT 0,
    ADD COLUMN maintenance_reason     text,
    ADD COLUMN episode                bigint   NOT NULL DEFAULT 0,
    ADD COLUMN attempts               integer  NOT NULL DEFAULT 0;

COMMENT ON COLUMN host_dynamic.previous_status IS 'Code of HostStatus: the status before the present one. Owner: engine.';
COMMENT ON COLUMN host_dynamic.non_operational_reason IS 'Code of NonOperationalReason; 0 in every status but non-operational. Owner: engine.';
COMMENT ON COLUMN host_dynamic.maintenance_reason IS 'What was said when maintenance was ordered, null for nothing. Owner: engine.';
COMMENT ON COLUMN host_dynamic.episode IS 'Grows each time the host becomes up; with the host the key of what follows from trouble until then. Owner: engine.';
COMMENT ON COLUMN host_dynamic.attempts IS 'How much repeated work was queued in this episode. Owner: engine.';

CREATE TABLE host_work (
    host_id       uuid        NOT NULL REFERENCES host_dynamic ON DELETE CASCADE,
    kind          smallint    NOT NULL,
    episode       bigint      NOT NULL,
    attempt       integer     NOT NULL,
    why           text        NOT NULL,
    created_at    timestamptz NOT NULL,
    taken_over_at timestamptz,
    taken_over_by uuid,
    PRIMARY KEY (host_id, kind, episode, attempt),
    CHECK ((taken_over_at IS NULL) = (taken_over_by IS NULL))
);

CREATE INDEX idx_host_work_open ON host_work (created_at) WHERE taken_over_at IS NULL;

COMMENT ON TABLE host_work IS 'What monitoring left to commands about hosts, written with the condition that it follows from. Open until a command takes it over; kept until the host''s next episode or a later attempt, so that the same conclusion is not queued twice.';
COMMENT ON COLUMN host_work.host_id IS 'The host. Owner: engine.';
COMMENT ON COLUMN host_work.kind IS 'Code of HostWorkKind; 1 is fencing. Owner: engine.';
COMMENT ON COLUMN host_work.episode IS 'The episode of the host that it follows from. Owner: engine.';
COMMENT ON COLUMN host_work.attempt IS '0 for what is done once in an episode; what is repeated counts from 1. Owner: engine.';
COMMENT ON COLUMN host_work.why IS 'One clause for people. Owner: engine.';
COMMENT ON COLUMN host_work.created_at IS 'When monitoring came to the conclusion. Owner: engine.';
COMMENT ON COLUMN host_work.taken_over_at IS 'When a command took it over, null while it is open. Owner: engine.';
COMMENT ON COLUMN host_work.taken_over_by IS 'The operation that took it over, null while it is open. Owner: engine.';
