-- What people are told, appended and never changed. One partition a week, so that what is too old goes by dropping a
-- table instead of deleting rows; partitions are made ahead and dropped by maintain_audit_log (db/view). The default
-- partition takes what no other takes, so no entry is ever refused for its time.

CREATE TABLE audit_log (
    audit_log_id  bigint      NOT NULL,
    log_time      timestamptz NOT NULL,
    log_type      integer     NOT NULL,
    log_type_name text        NOT NULL,
    severity      smallint    NOT NULL,
    message       text        NOT NULL,
    vm_id         uuid,
    vm_name       text,
    vds_id        uuid,
    vds_name      text,
    custom_data   jsonb       NOT NULL DEFAULT '{}',
    PRIMARY KEY (log_time, audit_log_id)
) PARTITION BY RANGE (log_time);

-- Newest first is the order of every question; the key serves questions that name nothing else.
CREATE INDEX idx_audit_log_vm_id ON audit_log (vm_id, log_time, audit_log_id) WHERE vm_id IS NOT NULL;
CREATE INDEX idx_audit_log_vds_id ON audit_log (vds_id, log_time, audit_log_id) WHERE vds_id IS NOT NULL;
CREATE INDEX idx_audit_log_log_type ON audit_log (log_type, log_time, audit_log_id);
CREATE INDEX idx_audit_log_severity ON audit_log (log_time, audit_log_id) WHERE severity > 0;

CREATE TABLE audit_log_default PARTITION OF audit_log DEFAULT;

COMMENT ON TABLE audit_log IS 'What people are told, once each; appended, never changed. Partitioned by week of log_time.';
COMMENT ON COLUMN audit_log.audit_log_id IS 'Grows with every entry; with log_time it is the key, so that writing an entry twice keeps one. Owner: engine.';
COMMENT ON COLUMN audit_log.log_time IS 'When it was recorded. Owner: engine.';
COMMENT ON COLUMN audit_log.log_type IS 'Number of the event: code of AuditEvent. Owner: engine.';
COMMENT ON COLUMN audit_log.log_type_name IS 'Name of the event. Owner: engine.';
COMMENT ON COLUMN audit_log.severity IS 'Code of AuditSeverity: 0 normal, 1 warning, 2 error, 10 alert. Owner: engine.';
COMMENT ON COLUMN audit_log.message IS 'What people read. Owner: engine.';
COMMENT ON COLUMN audit_log.vm_id IS 'The VM it is about, null for none; it may be gone. Owner: engine.';
COMMENT ON COLUMN audit_log.vm_name IS 'The VM''s name at that time. Owner: engine.';
COMMENT ON COLUMN audit_log.vds_id IS 'The host it is about, null for none; it may be gone. Owner: engine.';
COMMENT ON COLUMN audit_log.vds_name IS 'The host''s name at that time. Owner: engine.';
COMMENT ON COLUMN audit_log.custom_data IS 'Values that are in the message, by name. Owner: engine.';
