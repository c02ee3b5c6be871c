package org.stillwater.vdsm.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.MalformedReport;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.GuestNic;
import org.stillwater.core.vm.PauseStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;

/** Every recorded message about VMs, with the exact values it holds. */
class VmSamplesTest {
    private static final String WEB = "0e6f3a52-8d1b-4c6e-9a57-2f4b1c7d9e01";
    private static final String WINDOWS = "5b2c9d10-44aa-4f0e-8c3b-6a1d2e3f4b02";
    private static final String DATABASE = "7d41e8f3-1c29-4b77-a0d5-93e2b6c8f103";
    private static final String RUNNER = "a94b6c20-7e5f-4d38-b1a6-08c7d5e4f204";
    private static final String DESKTOP = "c3f08e7b-2a64-4915-8d9c-51b7a6e0f305";

    private final Decoded engine = new Decoded();

    @Test
    void allVmStats() throws MalformedReport {
        assertThat(engine.poll(Decoded.sample("host_getAllVmStats"))).isEqualTo(5);
        assertThat(engine.malformed).isEmpty();
        assertThat(engine.verdicts).containsExactly("understood");
        assertThat(engine.reports)
                .extracting(r -> r.vmId().toString())
                .containsExactly(WEB, WINDOWS, DATABASE, RUNNER, DESKTOP);
        assertThat(engine.reports)
                .extracting(VmReport::hostStampMillis)
                .containsExactly(3198718214L, 3198718215L, 3198718215L, 3198718216L, 3198718216L);
        assertThat(engine.reports)
                .extracting(r -> ((VmReport.Running) r).name())
                .containsExactly(
                        "web-frontend-01",
                        "win2019-legacy",
                        "db-nfs-02",
                        "ci-runner-17",
                        "pool-desktop-5");
        assertThat(engine.reports)
                .extracting(r -> ((VmReport.Running) r).deviceHash())
                .containsExactly(
                        "-3842716512098345671",
                        "7720145983360214455",
                        "1180223340998123774",
                        "-912004455667812",
                        "4401928374655500213");
        assertThat(engine.reports)
                .extracting(r -> ((VmReport.Running) r).runtime().status())
                .containsExactly(
                        VmStatus.UP,
                        VmStatus.UP,
                        VmStatus.PAUSED,
                        VmStatus.MIGRATING_FROM,
                        VmStatus.POWERING_UP);
    }

    @Test
    void aLinuxVmWithAgent() throws MalformedReport {
        engine.poll(Decoded.sample("host_getAllVmStats"));
        VmRuntime web = engine.running(WEB).runtime();
        assertThat(differences(web))
                .containsExactlyInAnyOrderEntriesOf(
                        fields(
                                RuntimeField.STATUS, VmStatus.UP,
                                RuntimeField.PAUSE_STATUS, PauseStatus.NOERR,
                                RuntimeField.UTC_DIFF, 0,
                                RuntimeField.CLIENT_IP, "",
                                RuntimeField.SPICE_IP, "10.20.0.11",
                                RuntimeField.SPICE_PORT, 5901,
                                RuntimeField.SPICE_TLS_PORT, 5902,
                                RuntimeField.VNC_IP, "10.20.0.11",
                                RuntimeField.VNC_PORT, 5900,
                                RuntimeField.GUEST_USER, "root",
                                RuntimeField.GUEST_CPU_COUNT, 4,
                                RuntimeField.APP_LIST,
                                        "kernel-5.14.0-427.13.1.el9_4.x86_64,qemu-guest-agent-8.2.0",
                                RuntimeField.FQDN, "web-frontend-01.example.test",
                                RuntimeField.GUEST_HOST_NAME, "web-frontend-01.example.test",
                                RuntimeField.GUEST_OS, "5.14.0-427.13.1.el9_4.x86_64",
                                RuntimeField.GUEST_OS_TYPE, "linux",
                                RuntimeField.GUEST_OS_ARCH, "x86_64",
                                RuntimeField.GUEST_OS_KERNEL, "5.14.0-427.13.1.el9_4.x86_64",
                                RuntimeField.GUEST_OS_DISTRIBUTION, "Rocky Linux",
                                RuntimeField.GUEST_OS_VERSION, "9.4",
                                RuntimeField.GUEST_OS_CODENAME, "",
                                RuntimeField.GUEST_TIMEZONE_NAME, "CEST",
                                RuntimeField.GUEST_TIMEZONE_OFFSET, 120,
                                RuntimeField.GUEST_NICS, web.guestNics()));
        assertThat(web.guestNics().nics())
                .containsExactly(
                        new GuestNic(
                                "lo", "00:00:00:00:00:00", List.of("127.0.0.1"), List.of("::1")),
                        new GuestNic(
                                "eth0",
                                "56:6f:8e:12:00:01",
                                List.of("10.30.1.15"),
                                List.of("fe80::546f:8eff:fe12:1")),
                        new GuestNic(
                                "eth1",
                                "56:6f:8e:12:00:02",
                                List.of("192.168.77.15"),
                                List.of("fe80::546f:8eff:fe12:2")));
        assertThat(engine.numbers.getFirst())
                .isEqualTo(
                        "cpu 7.43/1.86 up 864213 mem 55 3721188/1203344/-/- balloon"
                            + " 8388608/8388608/8388608/4194304 migration - nics [56:6f:8e:12:00:01"
                            + " 98713412345/45120098761 0/0 1051231.357][56:6f:8e:12:00:02"
                            + " 1204433211/880123411 12/0 1051231.357] disks [sdc null null 0.0/0.0"
                            + " 4/0 0 0.0/0.0/0.0][vda 11a0b1c2-d3e4-4f50-8a6b-7c8d9e0f1a01 null"
                            + " 10240.533333333333/52428.8 1892231/4123341 10737418240"
                            + " 412334.5/1180223.7/2210441.0][vdb"
                            + " 22b1c2d3-e4f5-4061-9b7c-8d9e0f1a2b02 null 0.0/104857.6"
                            + " 998123/20112344 107374182400 0.0/887120.25/1904411.5] usage"
                            + " [{\"path\":\"/\",\"total\":\"51539607552\",\"used\":\"9876543210\",\"fs\":\"xfs\"},{\"path\":\"/boot\",\"total\":\"1063256064\",\"used\":\"301234176\",\"fs\":\"xfs\"},{\"path\":\"/var/lib/data\",\"total\":\"107321753600\",\"used\":\"60129542144\",\"fs\":\"xfs\"}]");
    }

    @Test
    void aWindowsVmWithoutAgent() throws MalformedReport {
        engine.poll(Decoded.sample("host_getAllVmStats"));
        assertThat(differences(engine.running(WINDOWS).runtime()))
                .containsExactlyInAnyOrderEntriesOf(
                        fields(
                                RuntimeField.STATUS, VmStatus.UP,
                                RuntimeField.PAUSE_STATUS, PauseStatus.NOERR,
                                RuntimeField.UTC_DIFF, 7200,
                                RuntimeField.CLIENT_IP, "10.50.3.7",
                                RuntimeField.VNC_IP, "10.20.0.11",
                                RuntimeField.VNC_PORT, 5903,
                                RuntimeField.GUEST_USER, "Unknown",
                                RuntimeField.APP_LIST, "",
                                RuntimeField.FQDN, ""));
        assertThat(engine.numbers.get(1))
                .isEqualTo(
                        "cpu 23.1/4.02 up 172931 mem 0 -/-/-/- balloon"
                            + " 16777216/16777216/16777216/16777216 migration - nics"
                            + " [56:6f:8e:12:00:05 7712345678/1909812345 0/0 1051231.357] disks"
                            + " [hdc null null 0.0/0.0 4/0 0 0.0/0.0/0.0][sda"
                            + " 44d3e4f5-0617-4283-9d9e-0f1a2b3c4d04 null 0.0/18978.133333333335"
                            + " 2100931/3312008 34359738368 1503211.875/2804412.0/0.0] usage null");
    }

    @Test
    void aPausedAMigratingAndAStartingVm() throws MalformedReport {
        engine.poll(Decoded.sample("host_getAllVmStats"));
        assertThat(engine.running(DATABASE).runtime().pauseStatus()).isEqualTo(PauseStatus.EIO);
        assertThat(engine.running(RUNNER).runtime().pauseStatus()).isEqualTo(PauseStatus.NONE);
        assertThat(engine.numbers.get(3))
                .startsWith(
                        "cpu 181.2/22.47 up 43211 mem 73 2210334/402112/-/- balloon"
                                + " 6291456/8388608/6291456/2097152 migration 42 nics");
        assertThat(engine.running(DESKTOP).runtime().text(RuntimeField.SPICE_IP))
                .isEqualTo("10.20.0.11");
        assertThat(engine.numbers.get(4))
                .isEqualTo(
                        "cpu 0.0/0.0 up 6 mem 0 -/-/-/- balloon -/-/-/- migration - nics - disks -"
                                + " usage null");
    }

    @Test
    void aDownVm() throws MalformedReport {
        engine.poll(Decoded.sample("vm_getStats_down"));
        assertThat(engine.exited())
                .isEqualTo(
                        new VmReport.Exited(
                                VmId.parse(DATABASE),
                                3198727214L,
                                ExitStatus.ERROR,
                                ExitReason.LOST_QEMU_CONNECTION,
                                "Lost connection with qemu process"));
    }

    @Test
    void aVmWithALiveMergeJob() throws MalformedReport {
        assertThat(engine.poll(Decoded.sample("vm_getStats_livemerge_job"))).isEqualTo(1);
        assertThat(engine.running().deviceHash()).isEqualTo("-3842716512098345671");
        assertThat(engine.running().runtime().status()).isEqualTo(VmStatus.UP);
        VmRuntime withJob = engine.running().runtime();
        engine.poll(Decoded.sample("host_getAllVmStats"));
        assertThat(engine.running(WEB).runtime()).isEqualTo(withJob);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "admin|5b2c9d10-44aa-4f0e-8c3b-6a1d2e3f4b02|3199118214|NORMAL|ADMIN_SHUTDOWN|Admin"
                        + " shut down from the engine",
                "crash|7d41e8f3-1c29-4b77-a0d5-93e2b6c8f103|3198727214|ERROR|LOST_QEMU_CONNECTION|Lost"
                    + " connection with qemu process",
                "host_shutdown|0e6f3a52-8d1b-4c6e-9a57-2f4b1c7d9e01|3199618214|ERROR|HOST_SHUTDOWN|VM"
                    + " has been terminated on the host",
                "migrated|a94b6c20-7e5f-4d38-b1a6-08c7d5e4f204|3198744214|NORMAL|MIGRATION_SUCCEEDED|Migration"
                    + " succeeded",
                "start_failed|c3f08e7b-2a64-4915-8d9c-51b7a6e0f305|3198720714|ERROR|GENERIC_ERROR|internal"
                    + " error: process exited while connecting to monitor: qemu-kvm: cannot set up"
                    + " guest memory 'pc.ram': Cannot allocate memory",
                "user|0e6f3a52-8d1b-4c6e-9a57-2f4b1c7d9e01|3199128214|NORMAL|USER_SHUTDOWN|User"
                        + " shut down from within the guest",
            },
            quoteCharacter = '"')
    void downEvents(
            String name, String vm, long stamp, ExitStatus status, ExitReason reason, String text)
            throws MalformedReport {
        assertThat(engine.event(Decoded.sample("event_vm_status_down_" + name))).isEqualTo(1);
        assertThat(engine.exited())
                .isEqualTo(new VmReport.Exited(VmId.parse(vm), stamp, status, reason, text));
        assertThat(engine.numbers).containsExactly("none");
    }

    @ParameterizedTest
    @CsvSource({
        "migration_source, a94b6c20-7e5f-4d38-b1a6-08c7d5e4f204, 3198687214, MIGRATING_FROM, NOERR",
        "paused_eio, 7d41e8f3-1c29-4b77-a0d5-93e2b6c8f103, 3198714214, PAUSED, EOTHER",
        "paused_enospc, 0e6f3a52-8d1b-4c6e-9a57-2f4b1c7d9e01, 3198779214, PAUSED, ENOSPC",
        "paused_user, 5b2c9d10-44aa-4f0e-8c3b-6a1d2e3f4b02, 3198778214, PAUSED, NOERR",
        "postcopy, a94b6c20-7e5f-4d38-b1a6-08c7d5e4f204, 3198733214, PAUSED, POSTCOPY",
        "resumed, 7d41e8f3-1c29-4b77-a0d5-93e2b6c8f103, 3198838214, UP, NOERR",
    })
    @DisplayName("8a.49 A VM_status event with only {status} leaves other data unchanged")
    void statusEvents(String name, String vm, long stamp, VmStatus status, PauseStatus pause)
            throws MalformedReport {
        VmRuntime before =
                VmRuntime.INITIAL
                        .edit()
                        .set(RuntimeField.STATUS, VmStatus.POWERING_DOWN)
                        .set(RuntimeField.PAUSE_STATUS, PauseStatus.NOERR)
                        .set(RuntimeField.FQDN, "a.example.test")
                        .set(RuntimeField.CLIENT_IP, "10.0.0.1")
                        .set(RuntimeField.VNC_PORT, 5901)
                        .build();
        engine.known.put(VmId.parse(vm), before);
        engine.event(Decoded.sample("event_vm_status_" + name));
        assertThat(engine.running())
                .isEqualTo(
                        new VmReport.Running(
                                VmId.parse(vm),
                                stamp,
                                null,
                                before.edit()
                                        .set(RuntimeField.STATUS, status)
                                        .set(RuntimeField.PAUSE_STATUS, pause)
                                        .build(),
                                null));
    }

    @Test
    void anEventWithTheRunningPart() throws MalformedReport {
        engine.event(Decoded.sample("event_vm_status_powering_up"));
        assertThat(engine.running().hostStampMillis()).isEqualTo(3198720014L);
        assertThat(engine.running().deviceHash()).isEqualTo("4401928374655500213");
        assertThat(differences(engine.running().runtime()))
                .containsExactlyInAnyOrderEntriesOf(
                        fields(
                                RuntimeField.STATUS,
                                VmStatus.POWERING_UP,
                                RuntimeField.PAUSE_STATUS,
                                PauseStatus.NOERR,
                                RuntimeField.UTC_DIFF,
                                0,
                                RuntimeField.CLIENT_IP,
                                "",
                                RuntimeField.SPICE_IP,
                                "10.20.0.11",
                                RuntimeField.SPICE_PORT,
                                5907,
                                RuntimeField.SPICE_TLS_PORT,
                                5908));
    }

    @Test
    void anEventWithChangedDevices() throws MalformedReport {
        engine.poll(Decoded.sample("host_getAllVmStats"));
        engine.learn();
        VmRuntime before = engine.known.get(VmId.parse(WEB));
        engine.event(Decoded.sample("event_vm_status_devices_hash"));
        assertThat(engine.running().deviceHash()).isEqualTo("6620017733451982044");
        assertThat(engine.running().runtime()).isSameAs(before);
    }

    @ParameterizedTest
    @CsvSource({
        "reboot, 0e6f3a52-8d1b-4c6e-9a57-2f4b1c7d9e01, REBOOT_IN_PROGRESS,"
                + " web-frontend-01.example.test,"
                + " 'kernel-5.14.0-427.13.1.el9_4.x86_64,qemu-guest-agent-8.2.0'",
        "up_guest_agent, c3f08e7b-2a64-4915-8d9c-51b7a6e0f305, UP, pool-desktop-5,"
                + " 'kernel-6.8.9-300.fc40.x86_64,qemu-guest-agent-8.2.2'",
    })
    void eventsWithTheGuestPart(String name, String vm, VmStatus status, String fqdn, String apps)
            throws MalformedReport {
        engine.event(Decoded.sample("event_vm_status_" + name));
        assertThat(engine.running().vmId()).isEqualTo(VmId.parse(vm));
        assertThat(differences(engine.running().runtime()))
                .containsExactlyInAnyOrderEntriesOf(
                        fields(
                                RuntimeField.STATUS, status,
                                RuntimeField.GUEST_USER, "Unknown",
                                RuntimeField.FQDN, fqdn,
                                RuntimeField.APP_LIST, apps));
    }

    static Map<RuntimeField, Object> differences(VmRuntime runtime) {
        Map<RuntimeField, Object> values = new TreeMap<>();
        runtime.differencesFrom(VmRuntime.INITIAL)
                .forEach(field -> values.put(field, runtime.value(field)));
        return values;
    }

    private static Map<RuntimeField, Object> fields(Object... fieldsAndValues) {
        Map<RuntimeField, Object> map = new TreeMap<>();
        for (int i = 0; i < fieldsAndValues.length; i += 2) {
            map.put((RuntimeField) fieldsAndValues[i], fieldsAndValues[i + 1]);
        }
        return map;
    }
}
