package org.stillwater.fake.xapi.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.xensource.xenapi.Connection;
import com.xensource.xenapi.Console;
import com.xensource.xenapi.Event;
import com.xensource.xenapi.EventBatch;
import com.xensource.xenapi.Host;
import com.xensource.xenapi.HostCpu;
import com.xensource.xenapi.HostMetrics;
import com.xensource.xenapi.Message;
import com.xensource.xenapi.Network;
import com.xensource.xenapi.PBD;
import com.xensource.xenapi.PIF;
import com.xensource.xenapi.PIFMetrics;
import com.xensource.xenapi.Pool;
import com.xensource.xenapi.SR;
import com.xensource.xenapi.Session;
import com.xensource.xenapi.Task;
import com.xensource.xenapi.Types;
import com.xensource.xenapi.VBD;
import com.xensource.xenapi.VDI;
import com.xensource.xenapi.VIF;
import com.xensource.xenapi.VM;
import com.xensource.xenapi.VMGuestMetrics;
import com.xensource.xenapi.VMMetrics;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stillwater.fake.xapi.clients.Programs.Ran;
import org.stillwater.fake.xapi.net.PoolServer;
import org.stillwater.fake.xapi.world.PoolSettings;
import org.stillwater.fake.xapi.world.PoolSettings.Era;
import org.stillwater.fake.xapi.world.Pools;
import org.stillwater.fake.xapi.world.WorldClock;

/** Clients that others wrote believe the simulator. */
@Tag("full") // packages of three registries once
@Timeout(600)
class RealClientsIT {

    private final Pools pools = new Pools(new WorldClock(1));
    private PoolServer server;

    private String start(Era era, boolean tls, int coordinator) throws Exception {
        List<String> addresses = List.of("127.13.1.1", "127.13.1.2", "127.13.1.3");
        PoolSettings usual = PoolSettings.today().with(era);
        pools.add(
                new PoolSettings(usual.era(), true, Duration.ofSeconds(1), Duration.ofSeconds(1)),
                7,
                "p",
                addresses,
                20);
        server = PoolServer.start(pools, 0, tls);
        return (tls ? "https://" : "http://") + addresses.get(coordinator) + ":" + server.port();
    }

    @AfterEach
    void stop() {
        server.close();
        pools.close();
    }

    private static void accepted(Ran ran) {
        assertThat(ran.output()).as("exit code %d", ran.code()).contains("CLIENT-OK");
        assertThat(ran.code()).isZero();
    }

    @Test
    @DisplayName(
            "X63, X68 npm xen-api 4.7.6 by JSON-RPC through a member; it never reads tasks anew")
    void xenApiJson() throws Exception {
        Ran ran =
                Programs.node(
                        "4.7.6", "xen-api-4.mjs", start(Era.TODAY, true, 1), "json-rpc", "100");
        accepted(ran);
        assertThat(ran.output()).contains("refetched=0");
    }

    @Test
    @DisplayName("X64 npm xen-api 4.7.6 by XML-RPC")
    void xenApiXml() throws Exception {
        Ran ran = Programs.node("4.7.6", "xen-api-4.mjs", start(Era.TODAY, true, 0), "xml-rpc");
        accepted(ran);
        assertThat(ran.output()).contains("refetched=0");
    }

    @Test
    @DisplayName("X64 npm xen-api 4.7.6 falls back to XML-RPC where there is no JSON-RPC")
    void xenApiFallback() throws Exception {
        accepted(Programs.node("4.7.6", "xen-api-4.mjs", start(Era.Y2013, true, 0), "-"));
    }

    @Test
    @DisplayName("X65 npm xen-api 0.6.9 by JSON inside XML")
    void xenApiOfTwoThousandSixteen() throws Exception {
        accepted(Programs.node("0.6.9", "xen-api-old.cjs", start(Era.Y2016, false, 0)));
    }

    @Test
    @DisplayName("X65 npm xen-api 0.16.2 negotiates with servers of every age")
    void xenApiNegotiates() throws Exception {
        accepted(Programs.node("0.16.2", "xen-api-old.cjs", start(Era.Y2013, true, 0)));
        stop();
        accepted(new RealClientsIT().negotiate());
    }

    private Ran negotiate() throws Exception {
        try {
            return Programs.node("0.16.2", "xen-api-old.cjs", start(Era.TODAY, true, 0));
        } finally {
            stop();
        }
    }

    @Test
    @DisplayName("X66 PyPI XenAPI: records, event_from, Async, failures with their details")
    void python() throws Exception {
        accepted(Programs.python("26.21.1", "xenapi.py", start(Era.TODAY, true, 0)));
    }

    @Test
    @DisplayName("X67 Maven com.citrix.hypervisor:xen-api 8.1.0: records, events, typed exceptions")
    void citrix() throws Exception {
        Connection connection = new Connection(URI.create(start(Era.Y2018, false, 0)).toURL());
        Session.loginWithPassword(connection, "root", "stillwater", "1.0", "java");
        Map<VM, VM.Record> vms = VM.getAllRecords(connection);
        assertThat(vms).hasSize(20 + 3 + 10);
        assertThat(Host.getAllRecords(connection)).hasSize(3);
        assertThat(Pool.getAllRecords(connection)).hasSize(1);
        SR.getAllRecords(connection);
        VIF.getAllRecords(connection);
        VBD.getAllRecords(connection);
        VDI.getAllRecords(connection);
        PIF.getAllRecords(connection);
        Network.getAllRecords(connection);
        VMMetrics.getAllRecords(connection);
        VMGuestMetrics.getAllRecords(connection);
        HostMetrics.getAllRecords(connection);
        HostCpu.getAllRecords(connection);
        PBD.getAllRecords(connection);
        PIFMetrics.getAllRecords(connection);
        Console.getAllRecords(connection);
        Task.getAllRecords(connection);
        Message.getAllRecords(connection);
        EventBatch batch = Event.from(connection, Set.of("vm", "task", "host"), "", 1.0);
        assertThat(String.valueOf(((Map<?, ?>) batch.validRefCounts).get("vm"))).isEqualTo("33");
        VM halted =
                vms.entrySet().stream()
                        .filter(each -> each.getValue().powerState == Types.VmPowerState.HALTED)
                        .filter(each -> !each.getValue().isATemplate)
                        .findFirst()
                        .orElseThrow()
                        .getKey();
        Task task = halted.startAsync(connection, false, false);
        while (task.getStatus(connection) == Types.TaskStatusType.PENDING) {
            batch = Event.from(connection, Set.of("task"), batch.token, 5.0);
        }
        assertThat(task.getStatus(connection)).isEqualTo(Types.TaskStatusType.SUCCESS);
        assertThatThrownBy(() -> halted.start(connection, false, false))
                .isInstanceOf(Types.VmBadPowerState.class);
        Session.logout(connection);
    }
}
