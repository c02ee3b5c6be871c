-- Devices and disks of VMs as an outside data warehouse reads them when they are new or changed, and keys of disks, by
-- which it finds out what is gone. Hosts report on a disk by its image, so a disk whose definition names an image has
-- that one's identity here, and any other disk its device's. A VM that has never run has no devices yet. A definition
-- that follows its host is none that defines disks: their identities would change with its first reading.

DROP VIEW IF EXISTS dwh_vm_disk_configuration_history_view;
DROP VIEW IF EXISTS base_disks;
DROP VIEW IF EXISTS vm_disk_definition;

-- A specification may have another shape, written by hand or by a newer version: values that are none cost their disk
-- only. A cast inside of CASE is not evaluated before its condition.
CREATE VIEW vm_disk_definition AS
SELECT s.vm_guid AS vm_id,
       CASE WHEN d.value ->> 'id' ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN (d.value ->> 'id')::uuid END
           AS device_id,
       d.value ->> 'name' AS name,
       d.value ->> 'format' AS format,
       coalesce(d.value ->> 'shareable' = 'true', false) AS shareable,
       CASE WHEN d.value -> 'place' ->> 'kind' = 'volume'
             AND d.value -> 'place' ->> 'domain' ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
            THEN (d.value -> 'place' ->> 'domain')::uuid END AS storage_domain_id,
       CASE WHEN d.value -> 'place' ->> 'kind' = 'volume'
             AND d.value -> 'place' ->> 'image' ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
            THEN (d.value -> 'place' ->> 'image')::uuid END AS image_id
  FROM vm_specification AS s
 CROSS JOIN LATERAL jsonb_array_elements(CASE jsonb_typeof(s.specification -> 'disks')
                                         WHEN 'array' THEN s.specification -> 'disks' ELSE '[]' END) AS d
 WHERE (s.specification #>> '{found,followed}') IS DISTINCT FROM 'true'
   AND d.value ->> 'id' ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';

COMMENT ON TABLE vm_specification IS 'Definitions of VMs beyond the data that monitoring uses. That of a VM that was found on a host follows the host until a user changes it.';
COMMENT ON VIEW vm_disk_definition IS 'Disks in the definitions that users made, a row for each VM that has the disk. Domain and image are null for a disk that is no volume of a storage domain.';

SELECT grant_reading('vm_disk_definition');

CREATE VIEW dwh_vm_disk_configuration_history_view AS
SELECT coalesce(n.image_id, d.device_id) AS vm_disk_id,
       max(left(n.name, 255)) AS vm_disk_name,
       NULL::text AS vm_disk_description,
       min(n.storage_domain_id::text)::uuid AS storage_domain_id,
       NULL::integer AS vm_disk_size_mb,
       NULL::smallint AS vm_disk_type,
       max(CASE n.format WHEN 'QCOW2' THEN 4 WHEN 'RAW' THEN 5 END)::smallint AS vm_disk_format,
       coalesce(bool_or(n.shareable), false) OR count(*) > 1 AS is_shared,
       min(d.created_at) AS create_date,
       nullif(max(d.changed_at), min(d.created_at)) AS update_date
  FROM (SELECT DISTINCT device_id
          FROM vm_device
         WHERE type = 'disk' AND device = 'disk'
           AND changed_at > (SELECT var_datetime FROM dwh_history_timekeeping WHERE var_name = 'lastSync')) AS c
  JOIN vm_device AS d ON d.device_id = c.device_id AND d.type = 'disk' AND d.device = 'disk'
  LEFT JOIN LATERAL (SELECT * FROM vm_disk_definition AS m
                      WHERE m.vm_id = d.vm_id AND m.device_id = d.device_id
                      LIMIT 1) AS n ON true
 GROUP BY coalesce(n.image_id, d.device_id);

COMMENT ON VIEW dwh_vm_disk_configuration_history_view IS 'Disks whose devices are new or changed since a data warehouse has last read. Format 4 is QCOW2, 5 raw, null for a disk without a definition. The engine keeps no limit of a disk''s growth.';

SELECT grant_reading('dwh_vm_disk_configuration_history_view');
SELECT grant_to('stillwater_dwh', 'SELECT', 'dwh_vm_disk_configuration_history_view');

CREATE VIEW base_disks AS
SELECT DISTINCT coalesce(n.image_id, d.device_id) AS disk_id
  FROM vm_device AS d
  LEFT JOIN vm_disk_definition AS n USING (vm_id, device_id)
 WHERE d.type = 'disk' AND d.device = 'disk';

COMMENT ON VIEW base_disks IS 'Disks, under the name that oVirt''s data warehouse reads.';

SELECT grant_reading('base_disks');
SELECT grant_to('stillwater_dwh', 'SELECT', 'base_disks');

DROP VIEW IF EXISTS dwh_vm_device_history_view;

CREATE VIEW dwh_vm_device_history_view AS
SELECT device_id,
       vm_id,
       left(type, 30) AS type,
       left(address, 255) AS address,
       is_managed,
       is_plugged,
       is_readonly,
       created_at AS create_date,
       nullif(changed_at, created_at) AS update_date
  FROM vm_device
 WHERE ((type = 'disk' AND device = 'disk') OR type = 'interface')
   AND changed_at > (SELECT var_datetime FROM dwh_history_timekeeping WHERE var_name = 'lastSync');

COMMENT ON VIEW dwh_vm_device_history_view IS 'Disks and interfaces among the devices of VMs that are new or changed since a data warehouse has last read.';

SELECT grant_reading('dwh_vm_device_history_view');
SELECT grant_to('stillwater_dwh', 'SELECT', 'dwh_vm_device_history_view');
