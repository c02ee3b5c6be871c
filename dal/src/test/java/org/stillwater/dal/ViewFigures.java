package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The gain of light views: {@code EXPLAIN ANALYZE} of the same VMs by a view with all joins for
 * clients, by the monitoring view, and by the light view of the engine's decisions: {@code ./mvnw
 * verify -pl dal -am -Dit.test=ViewFigures -Dtest=None -Dsurefire.failIfNoSpecifiedTests=false
 * -Dfailsafe.failIfNoSpecifiedTests=false}. No gate, hence no name that the build picks up.
 */
class ViewFigures {

    private static final int ROUNDS = 15;

    /**
     * A view as clients of the reference engine have it (monitoring specification §7.2): everything
     * about a VM, its statistics, its cluster, data centre, host and the host it migrates to, with
     * devices, interfaces and addresses aggregated.
     */
    private static final String FULL =
            """
            CREATE VIEW vms_full AS
            SELECT s.*, d.status, d.pause_status, d.exit_status, d.exit_reason, d.exit_message, d.acpi_enable, d.utc_diff,
                   d.client_ip, d.current_cd, d.spice_ip, d.spice_port, d.spice_tls_port, d.vnc_ip, d.vnc_port,
                   d.vnc_tls_port, d.last_watchdog_event, d.last_watchdog_action, d.guest_cur_user_name, d.session,
                   d.guest_cpu_count, d.app_list, d.vm_fqdn, d.vm_host, d.guest_os, d.guestos_type, d.guestos_arch,
                   d.guestos_kernel_version, d.guestos_distribution, d.guestos_version, d.guestos_codename,
                   d.guest_timezone_name, d.guest_timezone_offset, d.guest_containers, d.guest_agent_nics_hash, d.vm_ip,
                   d.run_on_vds, d.migrating_to_vds, d.last_start_time, d.last_stop_time, d.boot_time, d.downtime,
                   d.reason, d.is_run_once, d.console_cur_user_name, d.console_user_id, d.runtime_name,
                   t.cpu_user, t.cpu_sys, t.elapsed_time, t.usage_cpu_percent, t.usage_mem_percent,
                   t.usage_network_percent, t.disks_usage, t.guest_mem_buffered, t.guest_mem_cached,
                   c.name AS cluster_name, c.compatibility_version, c.cpu_name AS cluster_cpu_name, c.architecture,
                   c.emulated_machine AS cluster_emulated_machine, e.name AS data_centre_name,
                   h.host_name AS run_on_vds_name, g.status AS run_on_vds_status, g.cpu_model AS run_on_vds_cpu,
                   m.host_name AS migrating_to_vds_name, v.devices, v.unplugged, i.interfaces, a.addresses
              FROM vm_static AS s
              JOIN vm_dynamic AS d USING (vm_guid)
              LEFT JOIN vm_statistics AS t USING (vm_guid)
              JOIN cluster AS c ON c.cluster_id = s.cluster_id
              JOIN data_centre AS e ON e.data_centre_id = c.data_centre_id
              LEFT JOIN host_static AS h ON h.host_id = d.run_on_vds
              LEFT JOIN host_dynamic AS g ON g.host_id = d.run_on_vds
              LEFT JOIN host_static AS m ON m.host_id = d.migrating_to_vds
              LEFT JOIN (SELECT vm_id, count(*) AS devices, count(*) FILTER (WHERE NOT is_plugged) AS unplugged
                           FROM vm_device GROUP BY vm_id) AS v ON v.vm_id = s.vm_guid
              LEFT JOIN (SELECT vm_guid, string_agg(name || ' ' || mac_addr, ', ' ORDER BY nic_index) AS interfaces
                           FROM vm_interface GROUP BY vm_guid) AS i ON i.vm_guid = s.vm_guid
              LEFT JOIN (SELECT vm_guid, array_agg(interface_name || ' ' || ipv4_addresses::text) AS addresses
                           FROM vm_guest_agent_interfaces GROUP BY vm_guid) AS a ON a.vm_guid = s.vm_guid
            """;

    @ParameterizedTest
    @CsvSource({"6000, 1", "6000, 20", "100000, 500"})
    void figures(int vms, int hosts) throws SQLException {
        try (TestDatabase database = TestDatabase.migrated()) {
            fill(database, vms, hosts);
            Map<String, String> accesses = new LinkedHashMap<>();
            accesses.put("all VMs", "true");
            accesses.put("one host", "run_on_vds = md5('h1')::uuid");
            accesses.put("one VM", "vm_guid = md5('v7')::uuid");
            for (Map.Entry<String, String> access : accesses.entrySet()) {
                double full = median(database, "vms_full", access.getValue());
                double monitoring = median(database, "vms_monitoring_view", access.getValue());
                double light = median(database, "vm_placement_light", access.getValue());
                assertThat(full).isPositive();
                System.out.printf(
                        Locale.ROOT,
                        "%d VMs on %d hosts, %s: full %.3f ms, monitoring %.3f ms (1/%.1f),"
                                + " light %.3f ms (1/%.1f)%n",
                        vms,
                        hosts,
                        access.getKey(),
                        full,
                        monitoring,
                        full / monitoring,
                        light,
                        full / light);
            }
        }
    }

    /** Planning and execution, ms. */
    private static double median(TestDatabase database, String view, String where)
            throws SQLException {
        double[] times = new double[ROUNDS];
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            for (int i = -2; i < ROUNDS; i++) {
                try (ResultSet row =
                        statement.executeQuery(
                                "EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) SELECT * FROM %s WHERE %s"
                                        .formatted(view, where))) {
                    assertThat(row.next()).isTrue();
                    String plan = row.getString(1);
                    if (i >= 0) { // the first two warm the caches
                        times[i] = time(plan, "Planning") + time(plan, "Execution");
                    }
                }
            }
        }
        Arrays.sort(times);
        return times[ROUNDS / 2];
    }

    private static double time(String plan, String phase) {
        Matcher matcher = Pattern.compile("\"" + phase + " Time\": ([0-9.]+)").matcher(plan);
        assertThat(matcher.find()).isTrue();
        return Double.parseDouble(matcher.group(1));
    }

    private static void fill(TestDatabase database, int vms, int hosts) throws SQLException {
        database.execute(
                FULL,
                """
                INSERT INTO host_static (host_id, host_name, address, port)
                SELECT md5('h' || n)::uuid, 'h' || n, 'h', 1 FROM generate_series(1, %d) AS n
                """
                        .formatted(hosts),
                "INSERT INTO host_dynamic (host_id, cpu_model) SELECT host_id, 'model' FROM"
                        + " host_static",
                """
                INSERT INTO vm_static (vm_guid, vm_name, origin, mem_size_mb, min_allocated_mem)
                SELECT md5('v' || n)::uuid, 'v' || n, 3, 1024, 512 FROM generate_series(1, %d) AS n
                """
                        .formatted(vms),
                """
                INSERT INTO vm_dynamic (vm_guid, status, run_on_vds, vm_fqdn, app_list, guest_os, vm_ip, runtime_name)
                SELECT md5('v' || n)::uuid, 1, md5('h' || n %% %d + 1)::uuid, 'v' || n || '.example',
                       repeat('package-1.2.3,', 20), 'Linux', '192.0.2.' || n %% 250, 'v' || n
                  FROM generate_series(1, %d) AS n
                """
                        .formatted(hosts, vms),
                """
                INSERT INTO vm_statistics (vm_guid, cpu_user, cpu_sys, elapsed_time, usage_cpu_percent, disks_usage)
                SELECT vm_guid, 12.5, 1.5, 100, 7, repeat('x', 200) FROM vm_static
                """,
                """
                INSERT INTO vm_interface (id, vm_guid, name, mac_addr, speed)
                SELECT gen_random_uuid(), vm_guid, 'nic' || n, '02:00:00:00:00:01', 1000
                  FROM vm_static CROSS JOIN generate_series(1, 2) AS n
                """,
                """
                INSERT INTO vm_guest_agent_interfaces (vm_guid, nic_index, interface_name, mac_addr, ipv4_addresses)
                SELECT vm_guid, n, 'eth' || n, '02:00:00:00:00:01', '{192.0.2.1}'
                  FROM vm_static CROSS JOIN generate_series(0, 1) AS n
                """,
                """
                INSERT INTO vm_device (device_id, vm_id, type, device, is_managed, is_plugged)
                SELECT gen_random_uuid(), vm_guid, 'disk', 'disk', true, true
                  FROM vm_static CROSS JOIN generate_series(1, 10)
                """,
                "VACUUM ANALYZE");
    }
}
