-- What was asked of VMs and hosts, and what it takes to do it: operations, definitions in full, groups of VMs that belong
-- on one host or on different ones, how power is switched, and pools.

-- An operation outlives the VM or host that it is about, so that one can still read what became of it. Steps and progress
-- change in unindexed columns: room on each page keeps that cheap.
CREATE TABLE operation (
    operation_id   uuid        PRIMARY KEY,
    kind           smallint    NOT NULL,
    vm_guid        uuid,
    host_id        uuid,
    requested_by   text        NOT NULL,
    correlation    text        NOT NULL,
    batch_id       uuid,
    batch_position integer     NOT NULL DEFAULT 0,
    parameters     jsonb       NOT NULL,
    generation     bigint      NOT NULL,
    state          smallint    NOT NULL,
    step           text        NOT NULL,
    progress       smallint    NOT NULL CHECK (progress BETWEEN 0 AND 100),
    target_host    uuid,
    tried_hosts    uuid[]      NOT NULL DEFAULT '{}',
    explanation    text,
    failure_code   text,
    failure_reason text,
    created_at     timestamptz NOT NULL,
    started_at     timestamptz,
    ended_at       timestamptz,
    CHECK ((vm_guid IS NULL) <> (host_id IS NULL)),
    CHECK ((failure_code IS NULL) = (failure_reason IS NULL)),
    CHECK ((state >= 2) = (ended_at IS NOT NULL))
) WITH (fillfactor = 80);

CREATE INDEX idx_operation_created ON operation (created_at, operation_id);
CREATE INDEX idx_operation_open ON operation (created_at, operation_id) WHERE ended_at IS NULL;
CREATE INDEX idx_operation_vm ON operation (vm_guid, created_at, operation_id) WHERE vm_guid IS NOT NULL;
CREATE INDEX idx_operation_host ON operation (host_id, created_at, operation_id) WHERE host_id IS NOT NULL;
CREATE INDEX idx_operation_batch ON operation (batch_id, created_at, operation_id) WHERE batch_id IS NOT NULL;
CREATE INDEX idx_operation_ended ON operation (ended_at) WHERE ended_at IS NOT NULL;

COMMENT ON TABLE operation IS 'What was asked of VMs and hosts, from the moment that it is durable, and what became of it. Kept for a while after its end; it may name a VM or host that is gone.';
COMMENT ON COLUMN operation.operation_id IS 'Identity. Owner: engine.';
COMMENT ON COLUMN operation.kind IS 'Code of OperationKind; 1 is to run a VM. Owner: engine.';
COMMENT ON COLUMN operation.vm_guid IS 'The VM that it is about, null if it is about a host. Owner: engine.';
COMMENT ON COLUMN operation.host_id IS 'The host that it is about, null if it is about a VM. Owner: engine.';
COMMENT ON COLUMN operation.requested_by IS 'Who asked: a user, or a part of the engine. Owner: engine.';
COMMENT ON COLUMN operation.correlation IS 'What the asker calls it, for logs and audit. Owner: engine.';
COMMENT ON COLUMN operation.batch_id IS 'The batch that it belongs to, null for none. Owner: engine.';
COMMENT ON COLUMN operation.batch_position IS 'Its place in the batch, which counts from 0. Owner: engine.';
COMMENT ON COLUMN operation.parameters IS 'What else was asked: an object whose member kind says which. Nothing in it is secret. Owner: engine.';
COMMENT ON COLUMN operation.generation IS 'The run of the VM, or the episode of the host, when it began; counts from 0. Owner: engine.';
COMMENT ON COLUMN operation.state IS 'Code of OperationState; from 2 on it has ended. Owner: engine.';
COMMENT ON COLUMN operation.step IS 'What it is doing, or how it ended: one clause for people. Owner: engine.';
COMMENT ON COLUMN operation.progress IS 'How far it is, as far as known, %. Owner: engine.';
COMMENT ON COLUMN operation.target_host IS 'The host on which it is done, or the destination of a migration; null until chosen. The host may be gone. Owner: engine.';
COMMENT ON COLUMN operation.tried_hosts IS 'Hosts on which it failed, in order. Owner: engine.';
COMMENT ON COLUMN operation.explanation IS 'Why the host was chosen, or why there is none; null when none was looked for. Owner: engine.';
COMMENT ON COLUMN operation.failure_code IS 'Why it failed, one word for programs; null if it did not. Owner: engine.';
COMMENT ON COLUMN operation.failure_reason IS 'Why it failed, for people; null if it did not. Owner: engine.';
COMMENT ON COLUMN operation.created_at IS 'When it was asked for. Owner: engine.';
COMMENT ON COLUMN operation.started_at IS 'When it began, null before. Owner: engine.';
COMMENT ON COLUMN operation.ended_at IS 'When it ended, null before. Owner: engine.';

-- Beside vm_static rather than in it: monitoring reads all of that at the engine's start, and needs none of this.
CREATE TABLE vm_specification (
    vm_guid       uuid PRIMARY KEY REFERENCES vm_static ON DELETE CASCADE,
    specification jsonb,
    saved_memory  text
);

COMMENT ON TABLE vm_specification IS 'What it takes to run a VM beyond what monitoring knows of it. A VM that was found on a host has none.';
COMMENT ON COLUMN vm_specification.vm_guid IS 'The VM. Owner: engine.';
COMMENT ON COLUMN vm_specification.specification IS 'Devices, firmware and the rest of the definition, null if it was never defined. Owner: engine.';
COMMENT ON COLUMN vm_specification.saved_memory IS 'Where its memory is while it is suspended, as its host expects it; null if it has none. Owner: engine.';

CREATE TABLE affinity_group (
    affinity_group_id uuid    PRIMARY KEY,
    cluster_id        uuid    NOT NULL REFERENCES cluster ON DELETE CASCADE,
    name              text    NOT NULL,
    positive          boolean NOT NULL,
    enforcing         boolean NOT NULL,
    UNIQUE (cluster_id, name)
);

COMMENT ON TABLE affinity_group IS 'VMs of a cluster that belong on one host, or on different ones.';
COMMENT ON COLUMN affinity_group.affinity_group_id IS 'Identity. Owner: engine.';
COMMENT ON COLUMN affinity_group.cluster_id IS 'The cluster of its VMs. Owner: engine.';
COMMENT ON COLUMN affinity_group.name IS 'Name, unique in its cluster. Owner: engine.';
COMMENT ON COLUMN affinity_group.positive IS 'Whether its VMs belong together; else they are kept apart. Owner: engine.';
COMMENT ON COLUMN affinity_group.enforcing IS 'Whether a VM rather runs nowhere than against it. Owner: engine.';

CREATE TABLE affinity_group_member (
    affinity_group_id uuid NOT NULL REFERENCES affinity_group ON DELETE CASCADE,
    vm_guid           uuid NOT NULL REFERENCES vm_static ON DELETE CASCADE,
    PRIMARY KEY (affinity_group_id, vm_guid)
);

CREATE INDEX idx_affinity_group_member_vm ON affinity_group_member (vm_guid);

COMMENT ON TABLE affinity_group_member IS 'Which VMs are in affinity groups.';
COMMENT ON COLUMN affinity_group_member.affinity_group_id IS 'The group. Owner: engine.';
COMMENT ON COLUMN affinity_group_member.vm_guid IS 'The VM. Owner: engine.';

CREATE TABLE host_fence_agent (
    host_id       uuid    NOT NULL REFERENCES host_static ON DELETE CASCADE,
    position      integer NOT NULL,
    type          text    NOT NULL,
    address       text    NOT NULL,
    port          integer CHECK (port BETWEEN 1 AND 65535),
    user_name     text,
    password      text,
    agent_options jsonb   NOT NULL DEFAULT '{}',
    PRIMARY KEY (host_id, position)
);

COMMENT ON TABLE host_fence_agent IS 'How the power of hosts is switched. It holds passwords: only the engine reads it, and no view shows it.';
COMMENT ON COLUMN host_fence_agent.host_id IS 'The host. Owner: engine.';
COMMENT ON COLUMN host_fence_agent.position IS 'Order in which its agents are tried, which counts from 0. Owner: engine.';
COMMENT ON COLUMN host_fence_agent.type IS 'Which program: ipmilan for fence_ipmilan. Owner: engine.';
COMMENT ON COLUMN host_fence_agent.address IS 'DNS name or IP address of the management board. Owner: engine.';
COMMENT ON COLUMN host_fence_agent.port IS 'Port of the management board, null for the program''s own. Owner: engine.';
COMMENT ON COLUMN host_fence_agent.user_name IS 'Who logs in, null for nobody. Owner: engine.';
COMMENT ON COLUMN host_fence_agent.password IS 'Secret, null for none. Owner: engine.';
COMMENT ON COLUMN host_fence_agent.agent_options IS 'Further options by the program''s names. Owner: engine.';

CREATE TABLE vm_pool (
    pool_id     uuid    PRIMARY KEY,
    name        text    NOT NULL UNIQUE,
    description text    NOT NULL DEFAULT '',
    cluster_id  uuid    NOT NULL REFERENCES cluster,
    stateful    boolean NOT NULL,
    size        integer NOT NULL CHECK (size >= 0),
    prestarted  integer NOT NULL CHECK (prestarted BETWEEN 0 AND size),
    per_user    integer NOT NULL CHECK (per_user >= 1),
    template    text
);

COMMENT ON TABLE vm_pool IS 'VMs that are alike, of which users get one each.';
COMMENT ON COLUMN vm_pool.pool_id IS 'Identity. Owner: engine.';
COMMENT ON COLUMN vm_pool.name IS 'Unique name. Owner: engine.';
COMMENT ON COLUMN vm_pool.description IS 'Free text. Owner: engine.';
COMMENT ON COLUMN vm_pool.cluster_id IS 'The cluster among whose hosts its VMs run. Owner: engine.';
COMMENT ON COLUMN vm_pool.stateful IS 'Whether a VM keeps what its user did. Owner: engine.';
COMMENT ON COLUMN vm_pool.size IS 'How many VMs it is to have. Owner: engine.';
COMMENT ON COLUMN vm_pool.prestarted IS 'How many free VMs are to be up. Owner: engine.';
COMMENT ON COLUMN vm_pool.per_user IS 'How many VMs a user may have. Owner: engine.';
COMMENT ON COLUMN vm_pool.template IS 'Definition of its VMs as JSON, in which ? stands for the number of the VM; null for a pool to which VMs are added by hand. Owner: engine.';

CREATE TABLE vm_pool_member (
    vm_guid   uuid PRIMARY KEY REFERENCES vm_static ON DELETE CASCADE,
    pool_id   uuid NOT NULL REFERENCES vm_pool ON DELETE CASCADE,
    user_name text
);

CREATE INDEX idx_vm_pool_member_pool ON vm_pool_member (pool_id);

COMMENT ON TABLE vm_pool_member IS 'Which VMs are in pools, each in one at the most, and who has them.';
COMMENT ON COLUMN vm_pool_member.vm_guid IS 'The VM. Owner: engine.';
COMMENT ON COLUMN vm_pool_member.pool_id IS 'The pool. Owner: engine.';
COMMENT ON COLUMN vm_pool_member.user_name IS 'Who has it, null for nobody. Owner: engine.';
