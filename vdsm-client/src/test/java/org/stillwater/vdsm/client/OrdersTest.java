package org.stillwater.vdsm.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.stillwater.core.connection.ConsoleConnection;
import org.stillwater.core.connection.ConvergenceSchedule;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.MigrationParameters;
import org.stillwater.core.connection.RefusalCode;
import org.stillwater.core.connection.VmOrder;
import org.stillwater.core.definition.MemoryVolume;
import org.stillwater.core.definition.VmConsole;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.OperationParameters.DeviceType;
import org.stillwater.vdsm.wire.ErrorCode;

/** Orders about VMs, byte by byte. */
@Timeout(60)
class OrdersTest {
    private static final VmId VM = VmId.parse("a94b6c20-7e5f-4d38-b1a6-08c7d5e4f204");
    private static final MemoryVolume DUMP =
            new MemoryVolume(new UUID(0, 1), new UUID(0, 2), new UUID(0, 3), new UUID(0, 4));
    private static final MemoryVolume CONF =
            new MemoryVolume(new UUID(0, 1), new UUID(0, 2), new UUID(0, 5), new UUID(0, 6));

    /** The migration of the recorded requests of an engine. */
    private static final MigrationParameters RECORDED =
            new MigrationParameters(
                    "10.20.0.12",
                    "10.20.0.12",
                    false,
                    true,
                    false,
                    false,
                    null,
                    62,
                    true,
                    2,
                    2,
                    new ConvergenceSchedule(
                            List.of(ConvergenceSchedule.Action.downtime(100)),
                            List.of(
                                    new ConvergenceSchedule.Step(
                                            1, ConvergenceSchedule.Action.downtime(150)),
                                    new ConvergenceSchedule.Step(
                                            -1, ConvergenceSchedule.Action.ABORT))),
                    null,
                    null,
                    List.of(),
                    List.of());

    static Stream<Arguments> orders() {
        String only = "{'vmID':'VM'}";
        return Stream.of(
                Arguments.of(
                        new VmOrder.Create(VM, "<domain a=\"b\"/>"),
                        "VM.create",
                        "{'vmID':'VM','vmParams':{'vmId':'VM','xml':'<domain a=\\\"b\\\"/>'}}"),
                Arguments.of(
                        new VmOrder.Create(VM, "<domain/>", DUMP, CONF, true, "dHBt", "bnY="),
                        "VM.create",
                        "{'vmID':'VM','vmParams':{'vmId':'VM','xml':'<domain/>','launchPaused':true,"
                            + "'memoryDumpVolume':{'poolID':'U1','domainID':'U2','imageID':'U3','volumeID':'U4'},"
                            + "'memoryConfVolume':{'poolID':'U1','domainID':'U2','imageID':'U5','volumeID':'U6'},"
                            + "'_X_tpmdata':'dHBt','_X_nvramdata':'bnY='}}"),
                Arguments.of(
                        new VmOrder.Destroy(VM, 10),
                        "VM.destroy",
                        "{'vmID':'VM','gracefulAttempts':10}"),
                Arguments.of(
                        new VmOrder.Shutdown(VM, 30, "bye", false, null, false),
                        "VM.shutdown",
                        "{'vmID':'VM','delay':'30','message':'bye','reboot':false}"),
                Arguments.of(
                        new VmOrder.Shutdown(VM, 0, "", true, 60, true),
                        "VM.shutdown",
                        "{'vmID':'VM','delay':'0','message':'','reboot':true,'timeout':'60','force':true}"),
                Arguments.of(new VmOrder.Reset(VM), "VM.reset", only),
                Arguments.of(new VmOrder.Pause(VM), "VM.pause", only),
                Arguments.of(new VmOrder.Resume(VM), "VM.cont", only),
                Arguments.of(
                        new VmOrder.Hibernate(VM, "a,b,c"),
                        "VM.hibernate",
                        "{'vmID':'VM','hibernationVolHandle':'a,b,c'}"),
                Arguments.of(
                        new VmOrder.Migrate(
                                VM, "host1.example.test", "host2.example.test:54321", RECORDED),
                        "VM.migrate",
                        "{'vmID':'VM','params':{'vmId':'VM','src':'host1.example.test',"
                            + "'dst':'host2.example.test:54321','method':'online','tunneled':false,"
                            + "'dstqemu':'10.20.0.12','autoConverge':true,'compressed':false,"
                            + "'encrypted':false,'consoleAddress':'10.20.0.12','maxBandwidth':62,"
                            + "'enableGuestEvents':true,'outgoingLimit':2,'incomingLimit':2,"
                            + "'convergenceSchedule':{'init':[{'name':'setDowntime','params':['100']}],"
                            + "'stalling':[{'limit':1,'action':{'name':'setDowntime','params':['150']}},"
                            + "{'limit':-1,'action':{'name':'abort','params':[]}}]}}}"),
                Arguments.of(
                        new VmOrder.Migrate(
                                VM,
                                "a",
                                "b:1",
                                new MigrationParameters(
                                        null,
                                        null,
                                        true,
                                        false,
                                        true,
                                        true,
                                        true,
                                        null,
                                        false,
                                        1,
                                        3,
                                        null,
                                        4,
                                        true,
                                        List.of("0-3", "4"),
                                        List.of("1"))),
                        "VM.migrate",
                        "{'vmID':'VM','params':{'vmId':'VM','src':'a','dst':'b:1','method':'online',"
                            + "'tunneled':true,'autoConverge':false,'compressed':true,'encrypted':true,"
                            + "'abortOnError':true,'enableGuestEvents':false,'outgoingLimit':1,"
                            + "'incomingLimit':3,'parallel':4,'zerocopy':true,'cpusets':['0-3','4'],"
                            + "'numaNodesets':['1']}}"),
                Arguments.of(new VmOrder.CancelMigration(VM), "VM.migrateCancel", only),
                Arguments.of(
                        new VmOrder.SetTicket(
                                VM,
                                null,
                                "pw",
                                120,
                                ConsoleConnection.DISCONNECT,
                                Map.of("userName", "u", "userId", "i")),
                        "VM.setTicket",
                        "{'vmID':'VM','password':'pw','ttl':120,'existingConnAction':'disconnect',"
                                + "'params':{'userId':'i','userName':'u'}}"),
                Arguments.of(
                        new VmOrder.SetTicket(
                                VM,
                                VmConsole.Protocol.SPICE,
                                "pw",
                                120,
                                ConsoleConnection.KEEP,
                                Map.of("userName", "u")),
                        "VM.updateDevice",
                        "{'vmID':'VM','params':{'deviceType':'graphics','graphicsType':'spice',"
                                + "'password':'pw','ttl':120,'existingConnAction':'keep',"
                                + "'params':{'userName':'u'}}}"),
                Arguments.of(
                        new VmOrder.ChangeCd(VM, "sata", 2, "/isos/a.iso"),
                        "VM.changeCD",
                        "{'vmID':'VM','driveSpec':{'iface':'sata','index':'2','path':'/isos/a.iso'}}"),
                Arguments.of(
                        new VmOrder.ChangeCd(VM, "ide", 2, ""),
                        "VM.changeCD",
                        "{'vmID':'VM','driveSpec':{'iface':'ide','index':'2','path':''}}"),
                plug(DeviceType.INTERFACE, true, "VM.hotplugNic"),
                plug(DeviceType.INTERFACE, false, "VM.hotunplugNic"),
                plug(DeviceType.DISK, true, "VM.hotplugDisk"),
                plug(DeviceType.DISK, false, "VM.hotunplugDisk"));
    }

    private static Arguments plug(DeviceType type, boolean in, String verb) {
        return Arguments.of(
                new VmOrder.Plug(VM, type, in, "<hotplug/>"),
                verb,
                "{'vmID':'VM','params':{'vmId':'VM','xml':'<hotplug/>'}}");
    }

    @ParameterizedTest(name = "{1} {2}")
    @MethodSource("orders")
    void ordersAreWrittenAsHostsReadThem(VmOrder order, String verb, String params)
            throws Exception {
        String json = params.replace('\'', '"').replace("VM", VM.toString());
        for (int i = 1; i <= 6; i++) {
            json = json.replace("\"U" + i + "\"", "\"" + new UUID(0, i) + "\"");
        }
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            engine.connection.order(order, engine.receiver());
            ScriptedHost.Request request = peer.request();
            assertThat(request.body().replace(request.id(), "ID"))
                    .isEqualTo(
                            "{\"jsonrpc\":\"2.0\",\"method\":\""
                                    + verb
                                    + "\",\"params\":"
                                    + json
                                    + ",\"id\":\"ID\"}");
            request.answer(order instanceof VmOrder.Create ? "{\"vmId\": \"x\"}" : "true");
            assertThat(engine.success()).isEqualTo(VM);
            engine.connection.order(order, engine.receiver());
            peer.request().error("{\"code\": 16, \"message\": \"m\"}");
            assertThat(engine.failure()).isEqualTo(new HostFailure.Refused(16, "m"));
        }
    }

    @Test
    void onlyDestroyingAMissingVmIsASuccess() throws Exception {
        String missing = "{\"code\": 1, \"message\": \"m\"}";
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            engine.connection.order(new VmOrder.Destroy(VM, 0), engine.receiver());
            peer.request().error(missing);
            assertThat(engine.success()).isEqualTo(VM);
            engine.connection.order(new VmOrder.Reset(VM), engine.receiver());
            peer.request().error(missing);
            assertThat(engine.failure())
                    .isEqualTo(new HostFailure.Refused(RefusalCode.NO_SUCH_VM, "m"));
        }
    }

    @Test
    void ordersDoNotWaitForAnswersOfOthersAndEndByThemselves() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            engine.connection.order(new VmOrder.Pause(VM), a -> engine.answers.add("pause " + a));
            engine.connection.order(new VmOrder.Resume(VM), a -> engine.answers.add("cont " + a));
            ScriptedHost.Request pause = peer.request();
            ScriptedHost.Request resume = peer.request();
            assertThat(pause.method()).isEqualTo("VM.pause");
            resume.answer("{\"vmList\": {}}");
            assertThat(engine.answer().toString()).startsWith("cont Success");
            pause.answer("{\"vmList\": {}}");
            assertThat(engine.answer().toString()).startsWith("pause Success");

            engine.connection.order(new VmOrder.Reset(VM), engine.receiver());
            peer.request();
            engine.awaitIdle();
            engine.time.advance(Duration.ofSeconds(9));
            peer.send("\n");
            Engine.await("the beat", () -> engine.time.pending() > 0);
            peer.reset();
            assertThat(engine.failure()).isInstanceOf(HostFailure.Unreachable.class);
        }
    }

    @Test
    void secretsAreNotShown() {
        assertThat(
                        new VmOrder.SetTicket(
                                        VM,
                                        VmConsole.Protocol.VNC,
                                        "s3cret",
                                        1,
                                        ConsoleConnection.KEEP,
                                        Map.of("token", "s3cret"))
                                .toString())
                .doesNotContain("s3cret")
                .contains(VM.toString());
        assertThat(
                        new VmOrder.Create(VM, "<s3cret/>", DUMP, CONF, true, "s3cret", "s3cret")
                                .toString())
                .doesNotContain("s3cret")
                .contains("with TPM data", "with NVRAM data", "paused");
    }

    @Test
    void senselessOrdersAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new VmOrder.Create(VM, "", DUMP, null, false, null, null))
                .withMessageContaining("name both or none");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new VmOrder.Destroy(VM, -1))
                .withMessage("the number of attempts is at least 0, not -1");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> new VmOrder.Migrate(VM, "a", "nowhere", MigrationParameters.DEFAULT))
                .withMessage("the destination of a migration is host:port, not nowhere");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MigrationParameters.DEFAULT.atOnce(0, 1))
                .withMessage("the limit of outgoing migrations is at least 1, not 0");
    }

    @Test
    void bothSidesMeanTheSameByACode() {
        assertThat(RefusalCode.NO_SUCH_VM).isEqualTo(ErrorCode.NO_SUCH_VM);
        assertThat(RefusalCode.VM_EXISTS).isEqualTo(ErrorCode.VM_EXISTS);
        assertThat(RefusalCode.BAD_VM_PARAMETERS).isEqualTo(ErrorCode.BAD_VM_PARAMETERS);
    }
}
