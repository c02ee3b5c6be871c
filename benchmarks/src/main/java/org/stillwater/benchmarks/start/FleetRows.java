package org.stillwater.benchmarks.start;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.stillwater.benchmarks.scale.BenchFailure;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.vm.GuestNic;
import org.stillwater.core.vm.GuestNics;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRun;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.dal.Database;
import org.stillwater.dal.DatabaseSettings;

/** Fills a database with a fleet as an engine leaves it: everything runs, every guest was seen. */
final class FleetRows {

    private static final int CHUNK = 5_000;
    private static final Instant STARTED = Instant.parse("2026-11-01T10:00:00Z");

    private FleetRows() {}

    static void write(DatabaseSettings settings, StartPlan plan, int hostPort)
            throws SQLException, StoreUnavailable {
        try (Database database = Database.open(settings)) {
            List<HostId> hosts = new ArrayList<>();
            for (int i = 0; i < plan.hosts(); i++) {
                HostId id = new HostId(new UUID(0x1000, i));
                hosts.add(id);
                if (!database.hosts()
                        .add(
                                new HostDefinition(
                                        id, "host-%04d".formatted(i), "127.0.0.1", hostPort))) {
                    throw new BenchFailure("host " + i + " is there already");
                }
            }
            for (int from = 0; from < plan.vms(); from += CHUNK) {
                List<StoredVm> vms = new ArrayList<>();
                for (int i = from; i < Math.min(from + CHUNK, plan.vms()); i++) {
                    vms.add(vm(i, hosts.get(i % hosts.size())));
                }
                vms.sort(Comparator.comparing(StoredVm::id));
                WriteOutcome outcome = database.vms().add(vms);
                if (!(outcome instanceof WriteOutcome.Written written)
                        || written.rows() != vms.size()) {
                    throw new BenchFailure("the database does not take the VMs: " + outcome);
                }
            }
        }
        try (Connection connection =
                        DriverManager.getConnection(
                                settings.jdbcUrl(), settings.user(), settings.password());
                Statement statement = connection.createStatement()) {
            statement.execute("UPDATE host_dynamic SET status = 3"); // up
            statement.execute("UPDATE vm_dynamic SET hash = md5(vm_guid::text)");
            statement.execute(
                    "INSERT INTO vm_specification (vm_guid, specification) SELECT vm_guid, "
                            + SPECIFICATION
                            + " FROM vm_static");
            statement.execute("VACUUM ANALYZE");
        }
    }

    /** Without a definition, the devices of a found VM are read again. */
    private static final String SPECIFICATION =
            """
            '{"cpu": {"kind": "cluster"}, "firmware": "BIOS", "boot": ["DISK"], "video": "VGA", "balloon": true,
              "resume": "AUTO_RESUME", "found": {"followed": true}}'::jsonb\
            """;

    private static StoredVm vm(int number, HostId host) {
        VmId id = VmId.of(new UUID(0x9E37_79B9_7F4A_7C15L * number, number));
        String mac =
                "56:6f:%02x:%02x:%02x:01".formatted(number >> 16, number >> 8 & 255, number & 255);
        String address = "10.%d.%d.%d".formatted(number >> 16, number >> 8 & 255, number & 255);
        VmStatic definition =
                new VmStatic(
                        "vm-" + number,
                        VmOrigin.EXTERNAL,
                        number % 10 == 0,
                        4096,
                        2048,
                        2,
                        2,
                        1,
                        List.of(new VmNic(new UUID(0x3000, number), "nic1", mac, null, 10_000)));
        GuestNics nics =
                new GuestNics(
                        number + 1L,
                        List.of(
                                new GuestNic(
                                        "lo",
                                        "00:00:00:00:00:00",
                                        List.of("127.0.0.1"),
                                        List.of("::1")),
                                new GuestNic("eth0", mac, List.of(address), List.of())));
        VmRuntime runtime =
                VmRuntime.INITIAL
                        .edit()
                        .set(RuntimeField.STATUS, VmStatus.UP)
                        .set(RuntimeField.CLIENT_IP, "")
                        .set(RuntimeField.UTC_DIFF, 0)
                        .set(RuntimeField.VNC_IP, "192.0.2." + (number & 255))
                        .set(RuntimeField.VNC_PORT, 5900 + (number % 100))
                        .set(RuntimeField.GUEST_CPU_COUNT, 4)
                        .set(
                                RuntimeField.APP_LIST,
                                "kernel-5.14.0-503.el9.x86_64,qemu-guest-agent-9.0.0-10.el9")
                        .set(RuntimeField.FQDN, "vm-" + number + ".example.org")
                        .set(RuntimeField.GUEST_HOST_NAME, "vm-" + number)
                        .set(RuntimeField.GUEST_OS, "5.14.0-503.el9.x86_64")
                        .set(RuntimeField.GUEST_OS_TYPE, "Linux")
                        .set(RuntimeField.GUEST_OS_ARCH, "x86_64")
                        .set(RuntimeField.GUEST_OS_DISTRIBUTION, "CentOS Stream")
                        .set(RuntimeField.GUEST_OS_VERSION, "9")
                        .set(RuntimeField.GUEST_NICS, nics)
                        .set(RuntimeField.GUEST_IPS, address)
                        .build();
        VmPlacement placement = new VmPlacement(host, null, STARTED, null, VmRun.NEVER.next());
        return new StoredVm(id, definition, runtime, placement);
    }
}
