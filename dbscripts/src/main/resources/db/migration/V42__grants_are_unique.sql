-- A user has a role on a scope once, also on everything, where cluster and VM are null. PostgreSQL 14 compares nulls in no
-- unique constraint, so the index replaces each null: a grant names a cluster, a VM or neither, and the last two columns
-- tell which of them the third one is. On every version of PostgreSQL the constraint of version 16 has this name.

ALTER TABLE user_grant DROP CONSTRAINT user_grant_user_id_role_cluster_id_vm_guid_key;

CREATE UNIQUE INDEX idx_user_grant_once
    ON user_grant (user_id, role, coalesce(cluster_id, vm_guid, user_id), (cluster_id IS NULL), (vm_guid IS NULL));
