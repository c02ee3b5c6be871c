-- XAPI pools that users add while the engine runs. A pool has the identity of its cluster, which is stored before it. The
-- password is encrypted by the engine, with a key that is not in the database.

CREATE TABLE xapi_pool (
    pool_id   uuid    PRIMARY KEY REFERENCES cluster (cluster_id),
    name      text    NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 255),
    addresses text[]  NOT NULL CHECK (cardinality(addresses) BETWEEN 1 AND 64),
    port      integer NOT NULL CHECK (port BETWEEN 1 AND 65535),
    user_name text    NOT NULL CHECK (length(user_name) BETWEEN 1 AND 255),
    secret    text    NOT NULL,
    trust     text    CHECK (length(trust) <= 65536),
    encodings text[]  NOT NULL CHECK (cardinality(encodings) BETWEEN 1 AND 8),
    removing  boolean NOT NULL DEFAULT false
);

COMMENT ON TABLE xapi_pool IS 'XAPI pools that users added while the engine ran; those of the settings are not here. It holds passwords: only the engine reads it, and no view shows it.';
COMMENT ON COLUMN xapi_pool.pool_id IS 'Identity of the pool, and of its cluster. Owner: engine.';
COMMENT ON COLUMN xapi_pool.name IS 'Name of the pool in the engine. Owner: user.';
COMMENT ON COLUMN xapi_pool.addresses IS 'DNS names or IP addresses of hosts of the pool. Owner: user.';
COMMENT ON COLUMN xapi_pool.port IS 'TCP port of XAPI on all hosts. Owner: user.';
COMMENT ON COLUMN xapi_pool.user_name IS 'Login name. Owner: user.';
COMMENT ON COLUMN xapi_pool.secret IS 'Password, encrypted; it names its key, which is not in the database, and belongs to identity, addresses, port, login name and authorities. Owner: engine.';
COMMENT ON COLUMN xapi_pool.trust IS 'Certificates of authorities in PEM, null if each host keeps its first certificate. Owner: user.';
COMMENT ON COLUMN xapi_pool.encodings IS 'Names of the encodings to try at each login, best first. Owner: user.';
COMMENT ON COLUMN xapi_pool.removing IS 'Whether the engine is removing its hosts and VMs. Owner: engine.';
