-- Interfaces of one VM with their last samples: no devices, profiles, networks or templates.

DROP VIEW IF EXISTS vm_interface_monitoring_view;

CREATE VIEW vm_interface_monitoring_view AS
SELECT i.id, i.vm_guid, i.mac_addr, i.vnic_profile_id, i.speed, t.rx_rate, t.tx_rate, t.rx_drop, t.tx_drop,
       t.rx_total, t.tx_total, t.rx_offset, t.tx_offset, t.iface_status, t.sample_time
  FROM vm_interface i
  LEFT JOIN vm_interface_statistics t USING (id);

COMMENT ON VIEW vm_interface_monitoring_view IS 'Interfaces of VMs for monitoring, read by VM.';

SELECT grant_to_monitoring('SELECT', 'vm_interface_monitoring_view');
SELECT grant_reading('vm_interface_monitoring_view');
