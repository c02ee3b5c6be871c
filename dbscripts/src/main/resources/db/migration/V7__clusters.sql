-- Data centres and clusters: the reference data that rules about hosts need. One of each is there from the beginning and
-- takes every host, so nothing has to be set up first; every host and every VM belongs to a cluster.

CREATE TABLE data_centre (
    data_centre_id uuid PRIMARY KEY,
    name           text NOT NULL UNIQUE,
    description    text NOT NULL DEFAULT ''
);

COMMENT ON TABLE data_centre IS 'Places with clusters in them. Changed by people only.';
COMMENT ON COLUMN data_centre.data_centre_id IS 'Identity; 1 is the one that is there from the beginning. Owner: engine.';
COMMENT ON COLUMN data_centre.name IS 'Unique name. Owner: engine.';
COMMENT ON COLUMN data_centre.description IS 'Free text. Owner: engine.';

CREATE TABLE cluster (
    cluster_id                  uuid     PRIMARY KEY,
    data_centre_id              uuid     NOT NULL REFERENCES data_centre,
    name                        text     NOT NULL UNIQUE,
    description                 text     NOT NULL DEFAULT '',
    compatibility_version       text     CHECK (compatibility_version ~ '^[0-9]{1,4}\.[0-9]{1,4}$'),
    cpu_name                    text,
    cpu_flags                   text[]   NOT NULL DEFAULT '{}',
    cpu_since                   text     CHECK (cpu_since ~ '^[0-9]{1,4}\.[0-9]{1,4}$'),
    cpu_until                   text     CHECK (cpu_until ~ '^[0-9]{1,4}\.[0-9]{1,4}$'),
    architecture                smallint,
    machine_types               text[]   NOT NULL DEFAULT '{}',
    emulated_machine            text,
    rng_sources                 text[]   NOT NULL DEFAULT '{}',
    features                    text[]   NOT NULL DEFAULT '{}',
    fips                        boolean,
    uniform_system              boolean  NOT NULL DEFAULT false,
    hosted_engine               boolean  NOT NULL DEFAULT true,
    migrate_on_error            smallint NOT NULL DEFAULT 1,
    fencing_enabled             boolean  NOT NULL DEFAULT true,
    fencing_most_silent_percent integer  CHECK (fencing_most_silent_percent BETWEEN 1 AND 100),
    fencing_lease_respected     boolean  NOT NULL DEFAULT false,
    memory_least_free_mb        integer  NOT NULL DEFAULT 1024 CHECK (memory_least_free_mb >= 0),
    memory_most_used_percent    integer  NOT NULL DEFAULT 95 CHECK (memory_most_used_percent BETWEEN 0 AND 100)
);

COMMENT ON TABLE cluster IS 'Hosts among which VMs may move, and the rules that hold for them. Read at the engine''s start, written when people change it.';
COMMENT ON COLUMN cluster.cluster_id IS 'Identity; 1 is the one that is there from the beginning. Owner: engine.';
COMMENT ON COLUMN cluster.data_centre_id IS 'Where it is. Owner: engine.';
COMMENT ON COLUMN cluster.name IS 'Unique name. Owner: engine.';
COMMENT ON COLUMN cluster.description IS 'Free text. Owner: engine.';
COMMENT ON COLUMN cluster.compatibility_version IS 'Level that hosts must support, such as 4.8; null for any. Owner: engine.';
COMMENT ON COLUMN cluster.cpu_name IS 'CPU type, null for any. Owner: engine.';
COMMENT ON COLUMN cluster.cpu_flags IS 'Flags that the CPU type needs; empty without one. Owner: engine.';
COMMENT ON COLUMN cluster.cpu_since IS 'First compatibility version that knows the CPU type, null for every old one. Owner: engine.';
COMMENT ON COLUMN cluster.cpu_until IS 'Last compatibility version that knows the CPU type, null for every new one. Owner: engine.';
COMMENT ON COLUMN cluster.architecture IS 'Code of CpuArchitecture, null for any. Owner: engine.';
COMMENT ON COLUMN cluster.machine_types IS 'Machine types of which hosts must emulate one, best first; empty for any. Owner: engine.';
COMMENT ON COLUMN cluster.emulated_machine IS 'Machine type of its VMs; null until given, or chosen by the first host. Owner: engine.';
COMMENT ON COLUMN cluster.rng_sources IS 'Sources of randomness that hosts must have. Owner: engine.';
COMMENT ON COLUMN cluster.features IS 'Optional features that hosts must have. Owner: engine.';
COMMENT ON COLUMN cluster.fips IS 'Whether hosts must be in FIPS mode; null for either. Owner: engine.';
COMMENT ON COLUMN cluster.uniform_system IS 'Whether hosts must have the same major version of their system. Owner: engine.';
COMMENT ON COLUMN cluster.hosted_engine IS 'Whether hosts that may run the engine are welcome. Owner: engine.';
COMMENT ON COLUMN cluster.migrate_on_error IS 'Code of MigrateOnError: which VMs leave a non-operational host. Owner: engine.';
COMMENT ON COLUMN cluster.fencing_enabled IS 'Whether hosts may be fenced. Owner: engine.';
COMMENT ON COLUMN cluster.fencing_most_silent_percent IS 'No fencing while this share of the hosts is silent, %; null to fence all the same. Owner: engine.';
COMMENT ON COLUMN cluster.fencing_lease_respected IS 'Whether hosts that renew their storage lease are not fenced. Owner: engine.';
COMMENT ON COLUMN cluster.memory_least_free_mb IS 'Less free memory of a host is told, MiB; 0 for never. Owner: engine.';
COMMENT ON COLUMN cluster.memory_most_used_percent IS 'More used memory of a host is told, %; 100 for never. Owner: engine.';

CREATE TABLE cluster_network (
    cluster_id   uuid    NOT NULL REFERENCES cluster ON DELETE CASCADE,
    network_name text    NOT NULL,
    required     boolean NOT NULL,
    vm_network   boolean NOT NULL,
    PRIMARY KEY (cluster_id, network_name)
);

COMMENT ON TABLE cluster_network IS 'Logical networks of clusters.';
COMMENT ON COLUMN cluster_network.cluster_id IS 'The cluster. Owner: engine.';
COMMENT ON COLUMN cluster_network.network_name IS 'The network''s name, as on hosts. Owner: engine.';
COMMENT ON COLUMN cluster_network.required IS 'Whether a host without it must not run VMs. Owner: engine.';
COMMENT ON COLUMN cluster_network.vm_network IS 'Whether VMs use it, so that hosts need a bridge for it. Owner: engine.';

INSERT INTO data_centre (data_centre_id, name) VALUES ('00000000-0000-0000-0000-000000000001', 'Default');

INSERT INTO cluster (cluster_id, data_centre_id, name)
VALUES ('00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000001', 'Default');

UPDATE host_static SET cluster_id = '00000000-0000-0000-0000-000000000001';

ALTER TABLE host_static
    ALTER COLUMN cluster_id SET DEFAULT '00000000-0000-0000-0000-000000000001',
    ALTER COLUMN cluster_id SET NOT NULL,
    ADD FOREIGN KEY (cluster_id) REFERENCES cluster;

COMMENT ON COLUMN host_static.cluster_id IS 'Its cluster. Owner: engine.';

UPDATE vm_static SET cluster_id = '00000000-0000-0000-0000-000000000001';

ALTER TABLE vm_static
    ALTER COLUMN cluster_id SET DEFAULT '00000000-0000-0000-0000-000000000001',
    ALTER COLUMN cluster_id SET NOT NULL,
    ADD FOREIGN KEY (cluster_id) REFERENCES cluster;

COMMENT ON COLUMN vm_static.cluster_id IS 'Its cluster; of a VM that was found on a host, the host''s. Owner: engine.';
