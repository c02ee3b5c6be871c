-- Alert rules and silences that users define, and the alerts that fired: a row each. Rows are written when something changes
-- only; alerts that were resolved are deleted when they are too old. Nothing refers to the tables of VMs and hosts, or from
-- alerts to rules: an alert outlives its object and its rule.

CREATE TABLE alert_rule (
    rule_id uuid  PRIMARY KEY,
    name    text  NOT NULL UNIQUE CHECK (length(name) <= 100),
    details jsonb NOT NULL
);

CREATE TABLE alert_silence (
    silence_id uuid        PRIMARY KEY,
    ends_at    timestamptz NOT NULL,
    details    jsonb       NOT NULL
);

CREATE TABLE alert (
    alert_id    uuid        PRIMARY KEY,
    rule_id     uuid        NOT NULL,
    fired_at    timestamptz NOT NULL,
    resolved_at timestamptz,
    details     jsonb       NOT NULL
);

CREATE INDEX idx_alert_fired ON alert (fired_at);

COMMENT ON TABLE alert_rule IS 'Alert rules that users define.';
COMMENT ON COLUMN alert_rule.rule_id IS 'Identity. Owner: engine.';
COMMENT ON COLUMN alert_rule.name IS 'Name of its alerts. Owner: user.';
COMMENT ON COLUMN alert_rule.details IS 'The whole rule: expression, duration, scope, labels. Owner: user.';
COMMENT ON TABLE alert_silence IS 'Times in which alerts are not delivered.';
COMMENT ON COLUMN alert_silence.silence_id IS 'Identity. Owner: engine.';
COMMENT ON COLUMN alert_silence.ends_at IS 'When it ends. Owner: user.';
COMMENT ON COLUMN alert_silence.details IS 'The whole silence: matchers, author, comment. Owner: user.';
COMMENT ON TABLE alert IS 'Alerts that fired.';
COMMENT ON COLUMN alert.alert_id IS 'Identity, made from rule, object and begin. Owner: engine.';
COMMENT ON COLUMN alert.rule_id IS 'The rule, which may be gone. Owner: engine.';
COMMENT ON COLUMN alert.fired_at IS 'When it fired. Owner: engine.';
COMMENT ON COLUMN alert.resolved_at IS 'When it ended, null while it fires. Owner: engine.';
COMMENT ON COLUMN alert.details IS 'The whole alert: object, labels, value, acknowledgement. Owner: engine.';
