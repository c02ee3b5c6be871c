-- Follows the structures of host_dynamic with one row per interface. It runs when what a host says of its network differs,
-- which is rare, and never in a stable cycle. What a host says cannot make it fail: the engine could not write the host's
-- row then.

CREATE OR REPLACE FUNCTION json_members(reported text) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE
AS $$
DECLARE
    parsed jsonb;
BEGIN
    parsed := reported::jsonb;
    RETURN CASE WHEN jsonb_typeof(parsed) = 'object' THEN parsed ELSE '{}' END;
EXCEPTION
    WHEN data_exception OR program_limit_exceeded THEN
        RETURN '{}';
END
$$;

COMMENT ON FUNCTION json_members(text) IS 'Returns a JSON object; an empty one for null and for any other value.';

CREATE OR REPLACE FUNCTION json_whole(value jsonb) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT CASE jsonb_typeof(value) WHEN 'number' THEN within_integer(value::numeric) END
$$;

COMMENT ON FUNCTION json_whole(jsonb) IS 'Returns a number, limited to the range from 0 to the largest integer; null for any other value.';

CREATE OR REPLACE FUNCTION follow_host_interfaces(followed uuid) RETURNS void
    LANGUAGE sql
AS $$
    WITH said AS MATERIALIZED (
        SELECT json_members(nics) AS nics, json_members(bonds) AS bonds, json_members(vlans) AS vlans,
               json_members(networks) AS networks, last_client_interface AS client
          FROM host_dynamic
         WHERE host_id = followed),
    interface AS (
        SELECT i.key AS name, i.value AS what, false AS is_bond FROM said, jsonb_each(nics) AS i
        UNION ALL
        SELECT i.key, i.value, true FROM said, jsonb_each(bonds) AS i
        UNION ALL
        SELECT i.key, i.value, false FROM said, jsonb_each(vlans) AS i),
    carried AS (
        SELECT DISTINCT ON (interface) coalesce(n.value ->> 'southbound', n.value ->> 'iface') AS interface,
               n.key AS network, n.value AS what
          FROM said, jsonb_each(networks) AS n
         ORDER BY 1, 2),
    member AS (
        SELECT DISTINCT ON (interface) s.value AS interface, b.key AS bond
          FROM said, jsonb_each(bonds) AS b,
               jsonb_array_elements_text(CASE jsonb_typeof(b.value -> 'slaves') WHEN 'array' THEN b.value -> 'slaves'
                                              ELSE '[]' END) AS s
         ORDER BY 1, 2),
    found AS MATERIALIZED (
        SELECT DISTINCT ON (i.name) i.name,
               coalesce(s.client IN (i.name, c.what ->> 'iface'), false) AS management,
               json_whole(i.what -> 'speedMegabitsPerSecond') AS speed,
               i.what ->> 'mac' AS mac_addr,
               c.network AS network_name,
               nullif(coalesce(c.what -> 'ip' ->> 'address', i.what -> 'ip' ->> 'address'), '') AS address,
               nullif(coalesce(c.what -> 'ip' ->> 'gateway', i.what -> 'ip' ->> 'gateway'), '') AS gateway,
               i.is_bond,
               m.bond AS bond_name,
               json_whole(i.what -> 'vlanId') AS vlan_id
          FROM said AS s
          JOIN interface AS i ON length(i.name) <= 255
          LEFT JOIN carried AS c ON c.interface = i.name
          LEFT JOIN member AS m ON m.interface = i.name
         ORDER BY i.name, i.is_bond DESC),
    gone AS (
        DELETE FROM host_interface AS t
         WHERE t.host_id = followed AND NOT EXISTS (SELECT FROM found AS f WHERE f.name = t.name))
    INSERT INTO host_interface AS t (host_id, name, management, speed, mac_addr, network_name, address, gateway, is_bond,
                                     bond_name, vlan_id)
    SELECT followed, f.name, f.management, f.speed, f.mac_addr, f.network_name, f.address, f.gateway, f.is_bond,
           f.bond_name, f.vlan_id
      FROM found AS f
        ON CONFLICT (host_id, name) DO UPDATE
       SET (management, speed, mac_addr, network_name, address, gateway, is_bond, bond_name, vlan_id, changed_at)
           = ROW (excluded.management, excluded.speed, excluded.mac_addr, excluded.network_name, excluded.address,
                  excluded.gateway, excluded.is_bond, excluded.bond_name, excluded.vlan_id, now())
     WHERE (t.management, t.speed, t.mac_addr, t.network_name, t.address, t.gateway, t.is_bond, t.bond_name, t.vlan_id)
           IS DISTINCT FROM
           (excluded.management, excluded.speed, excluded.mac_addr, excluded.network_name, excluded.address,
            excluded.gateway, excluded.is_bond, excluded.bond_name, excluded.vlan_id)
$$;

COMMENT ON FUNCTION follow_host_interfaces(uuid) IS
    'Brings the rows of host_interface for a host in line with host_dynamic. Rows that are right stay unchanged.';

CREATE OR REPLACE FUNCTION host_network_reported() RETURNS trigger
    LANGUAGE plpgsql
    SECURITY DEFINER
AS $$
BEGIN
    PERFORM follow_host_interfaces(NEW.host_id);
    RETURN NULL;
END
$$;

COMMENT ON FUNCTION host_network_reported() IS
    'Trigger on host_dynamic: updates host_interface when the reported network of a host changes. Runs as the owner.';

DO $$
BEGIN
    -- Whoever changes a host cannot make it find other tables.
    EXECUTE format('ALTER FUNCTION host_network_reported() SET search_path = %I, pg_temp', current_schema());
    REVOKE ALL ON FUNCTION host_network_reported() FROM PUBLIC;
    REVOKE ALL ON FUNCTION follow_host_interfaces(uuid) FROM PUBLIC;
END
$$;

CREATE OR REPLACE TRIGGER network_added
    AFTER INSERT ON host_dynamic
    FOR EACH ROW
    WHEN (coalesce(NEW.nics, NEW.bonds, NEW.vlans) IS NOT NULL)
    EXECUTE FUNCTION host_network_reported();

CREATE OR REPLACE TRIGGER network_changed
    AFTER UPDATE OF nics, bonds, vlans, networks, last_client_interface ON host_dynamic
    FOR EACH ROW
    WHEN ((OLD.nics, OLD.bonds, OLD.vlans, OLD.networks, OLD.last_client_interface)
          IS DISTINCT FROM (NEW.nics, NEW.bonds, NEW.vlans, NEW.networks, NEW.last_client_interface))
    EXECUTE FUNCTION host_network_reported();

-- What hosts said before there was anybody to follow it.
SELECT follow_host_interfaces(host_id) FROM host_dynamic;
