-- Who may use the engine: users, what they were granted, and tokens of programs.

CREATE TABLE engine_user (
    user_id       uuid        PRIMARY KEY,
    name          text        NOT NULL UNIQUE,
    password_hash text,
    enabled       boolean     NOT NULL,
    created_at    timestamptz NOT NULL
);

COMMENT ON TABLE engine_user IS 'People and programs that may log in. It holds hashes of passwords: only the engine reads it, and no view shows it.';
COMMENT ON COLUMN engine_user.user_id IS 'Identity. Owner: engine.';
COMMENT ON COLUMN engine_user.name IS 'Name to log in with, login@profile; unique. Owner: engine.';
COMMENT ON COLUMN engine_user.password_hash IS 'Argon2id hash of the password with its parameters and salt, null for a user without one. Owner: engine.';
COMMENT ON COLUMN engine_user.enabled IS 'Whether the user may do anything now. Owner: engine.';
COMMENT ON COLUMN engine_user.created_at IS 'When the user was added. Owner: engine.';

CREATE TABLE user_grant (
    user_id    uuid NOT NULL REFERENCES engine_user ON DELETE CASCADE,
    role       text NOT NULL CHECK (role IN ('administrator', 'operator', 'reader', 'scraper')),
    cluster_id uuid REFERENCES cluster ON DELETE CASCADE,
    vm_guid    uuid REFERENCES vm_static ON DELETE CASCADE,
    CHECK (cluster_id IS NULL OR vm_guid IS NULL),
    UNIQUE NULLS NOT DISTINCT (user_id, role, cluster_id, vm_guid)
);

CREATE INDEX idx_user_grant_cluster ON user_grant (cluster_id) WHERE cluster_id IS NOT NULL;
CREATE INDEX idx_user_grant_vm ON user_grant (vm_guid) WHERE vm_guid IS NOT NULL;

COMMENT ON TABLE user_grant IS 'Which roles users have, and on what: on a cluster, on a VM, or on everything if neither is named.';
COMMENT ON COLUMN user_grant.user_id IS 'The user. Owner: engine.';
COMMENT ON COLUMN user_grant.role IS 'The role: administrator, operator, reader or scraper. Owner: engine.';
COMMENT ON COLUMN user_grant.cluster_id IS 'The cluster with its VMs on which the role is held, null for another scope. Owner: engine.';
COMMENT ON COLUMN user_grant.vm_guid IS 'The VM on which the role is held, null for another scope. Owner: engine.';

CREATE TABLE api_token (
    token_id   uuid        PRIMARY KEY,
    user_id    uuid        NOT NULL REFERENCES engine_user ON DELETE CASCADE,
    label      text        NOT NULL,
    hash       text        NOT NULL UNIQUE,
    roles      text[]      NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz
);

CREATE INDEX idx_api_token_user ON api_token (user_id);

COMMENT ON TABLE api_token IS 'Credentials of programs, each of which acts for a user. The tokens themselves are kept nowhere; only the engine reads their hashes.';
COMMENT ON COLUMN api_token.token_id IS 'Identity. Owner: engine.';
COMMENT ON COLUMN api_token.user_id IS 'The user for whom it acts. Owner: engine.';
COMMENT ON COLUMN api_token.label IS 'What it is for. Owner: engine.';
COMMENT ON COLUMN api_token.hash IS 'SHA-256 of the token in lower-case hexadecimal. Owner: engine.';
COMMENT ON COLUMN api_token.roles IS 'The most that it may do: names of roles. Owner: engine.';
COMMENT ON COLUMN api_token.created_at IS 'When it was made. Owner: engine.';
COMMENT ON COLUMN api_token.expires_at IS 'When it ends, null for never. Owner: engine.';
