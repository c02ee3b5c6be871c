package org.stillwater.benchmarks.replay;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.fake.net.HostEvent;
import org.stillwater.fake.net.HostName;
import org.stillwater.fake.net.JsonBody;
import org.stillwater.fake.net.RpcCall;
import org.stillwater.fake.net.RpcReply;
import org.stillwater.fake.world.MachineSpec;
import org.stillwater.fake.world.MigrationOrder;
import org.stillwater.fake.world.ReportSize;
import org.stillwater.fake.world.SimulatedVm;
import org.stillwater.fake.world.SimulationClock;
import org.stillwater.fake.world.World;
import org.stillwater.fake.world.WorldSettings;
import org.stillwater.vdsm.client.recording.RecordedHost;
import org.stillwater.vdsm.client.recording.RecordedVm;
import org.stillwater.vdsm.client.recording.RecordingWriter;
import org.stillwater.vdsm.jsonrpc.JsonRpcRequest;
import org.stillwater.vdsm.stomp.FrameBody;
import org.stillwater.vdsm.wire.ParamField;
import org.stillwater.vdsm.wire.Verb;
import tools.jackson.databind.json.JsonMapper;

/**
 * Makes recordings with the simulator: its hosts are asked without a network, on its virtual clock,
 * and what they answer is written as the engine writes it. A history decides which message the
 * engine gets when.
 */
final class RecordingMaker {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Duration ANSWER = Duration.ofMillis(20);

    /** Index of the one VM that is highly available. */
    private static final int HIGHLY_AVAILABLE = 2;

    private static final long NANOS_PER_MILLI = 1_000_000;

    private final World world;
    private final Map<UUID, RecordedVm> known = new HashMap<>();
    private final ByteArrayOutputStream file = new ByteArrayOutputStream();
    private final RecordingWriter writer;
    private final List<Message> events = new ArrayList<>();
    private boolean held;

    /** A message that the engine has not got yet. */
    record Message(int host, String verb, long sentNanos, String text) {}

    /** Hosts of a simulated world with VMs that the engine knows to be up on them. */
    RecordingMaker(int hosts, int vmsPerHost) throws IOException {
        this(hosts, vmsPerHost, List.of());
    }

    /**
     * The same with more VMs.
     *
     * @param names of small VMs on the first host
     */
    RecordingMaker(int hosts, int vmsPerHost, List<String> names) throws IOException {
        this.world =
                World.create(
                        WorldSettings.of(7, hosts, vmsPerHost).withReportSize(ReportSize.SMALL),
                        SimulationClock.manual());
        world.publishTo(this::hear);
        for (String name : names) {
            world.hosts().getFirst().create(MachineSpec.ordinary().withAgent(false).withName(name));
        }
        world.advance(Duration.ofMinutes(2));
        List<RecordedHost> recorded = new ArrayList<>();
        world.hosts()
                .forEach(host ->
                        recorded.add(
                                new RecordedHost(
                                        id(host.number()).value(),
                                        host.name(),
                                        host.name() + ".example.org",
                                        HostStatus.UP,
                                        true)));
        events.clear();
        this.writer =
                new RecordingWriter(
                        file,
                        new RecordingWriter.Limits(1 << 26, 1_000_000),
                        now(),
                        "simulator",
                        15_000,
                        recorded,
                        known::get,
                        _ -> {});
        for (SimulatedVm vm : world.vms()) {
            know(vm, VmStatus.UP);
        }
        for (int host = 0; host < hosts; host++) {
            deliver(ask(host, Verb.GET_CAPABILITIES));
            deliver(ask(host, Verb.GET_HARDWARE_INFO));
            deliver(ask(host, Verb.GET_STATS));
            deliver(ask(host, Verb.GET_ALL_VM_STATS));
        }
    }

    /** Identity of a host by its number, as the engine chose it. */
    HostId id(int number) {
        return new HostId(new UUID(0x1000, number));
    }

    World world() {
        return world;
    }

    private int index(HostName name) {
        for (int i = 0; i < world.hosts().size(); i++) {
            if (world.hosts().get(i).name().equals(name.value())) {
                return i;
            }
        }
        throw new IllegalArgumentException(name.value());
    }

    private HostId hostId(int index) {
        return id(world.hosts().get(index).number());
    }

    private long now() {
        return world.clock().millis() * NANOS_PER_MILLI;
    }

    private void know(SimulatedVm vm, VmStatus status) {
        String on = vm.host();
        UUID host = on == null ? null : id(world.host(on).number()).value();
        RecordedVm recorded =
                new RecordedVm(
                        vm.id(),
                        vm.name(),
                        false,
                        known.size() == HIGHLY_AVAILABLE,
                        false,
                        2_048,
                        2,
                        status,
                        host,
                        null);
        known.put(vm.id(), recorded);
        writer.vm(recorded);
    }

    private void hear(HostName host, HostEvent event) {
        Message message = new Message(index(host), "", 0, text(event.json()));
        if (held) {
            events.add(message);
        } else if (writer != null) {
            deliver(message);
        }
    }

    /** From now on events wait for {@link #takeEvents}. */
    void holdEvents(boolean hold) {
        held = hold;
    }

    /** The events since they are held, in their order. */
    List<Message> takeEvents() {
        List<Message> taken = List.copyOf(events);
        events.clear();
        return taken;
    }

    /** The engine orders the removal of a VM's remains on a host. */
    void remove(int host, SimulatedVm vm) {
        order(host, Verb.VM_DESTROY, vm, null);
        Message _ = ask(host, Verb.VM_DESTROY, "{\"vmID\":\"" + vm.id() + "\"}");
    }

    /** The present answer of a host. */
    Message ask(int host, String verb) {
        return ask(host, verb, "{}");
    }

    private Message ask(int host, String verb, String parameters) {
        String[] answer = new String[1];
        world.endpoints()
                .get(host)
                .call(
                        new RpcCall(verb, JSON.readTree(parameters), null),
                        new RpcReply() {
                            @Override
                            public void result(JsonBody body) {
                                answer[0] = "\"result\":" + text(body);
                            }

                            @Override
                            public void error(int code, String message) {
                                answer[0] =
                                        "\"error\":{\"code\":"
                                                + code
                                                + ",\"message\":\""
                                                + message
                                                + "\"}";
                            }
                        });
        return new Message(
                host, verb, now(), "{\"jsonrpc\":\"2.0\",\"id\":\"1\"," + answer[0] + "}");
    }

    /** The engine gets a message now. */
    void deliver(Message message) {
        FrameBody body = FrameBody.utf8(message.text());
        HostId host = hostId(message.host());
        if (message.verb().isEmpty()) {
            writer.event(host, now(), body);
        } else {
            writer.answered(host, message.sentNanos(), now(), message.verb(), body);
        }
    }

    /** Statistics cycles of all hosts, each a little later than the one before. */
    void cycles(int count) {
        for (int i = 0; i < count; i++) {
            pass(Duration.ofSeconds(14));
            for (int host = 0; host < world.hosts().size(); host++) {
                cycle(host);
                pass(Duration.ofMillis(1_000 / world.hosts().size()));
            }
        }
    }

    /** A statistics cycle of one host. */
    void cycle(int host) {
        Message statistics = ask(host, Verb.GET_STATS);
        Message vms = ask(host, Verb.GET_ALL_VM_STATS);
        pass(ANSWER);
        deliver(statistics);
        deliver(vms);
    }

    void pass(Duration time) {
        world.advance(time);
    }

    /** The engine orders a migration, which the source begins. */
    void migrate(SimulatedVm vm, int source, int target) {
        order(source, Verb.VM_MIGRATE, vm, world.hosts().get(target).name() + ".example.org:54321");
        vm.migrate(MigrationOrder.to(world.hosts().get(target).name()));
    }

    /** The engine gives an order about a VM. */
    void order(int host, String verb, SimulatedVm vm, @Nullable String destination) {
        writer.called(
                hostId(host),
                now(),
                verb,
                JsonRpcRequest.encode(
                        "1",
                        verb,
                        json -> {
                            json.writeStringProperty(ParamField.VM_ID, vm.id().toString());
                            if (destination != null) {
                                json.writeStringProperty("dst", destination);
                            }
                        }));
    }

    void disconnect(int host) {
        writer.disconnected(
                hostId(host), now(), new HostFailure.Unreachable("the connection was lost"));
    }

    void connect(int host) {
        writer.connected(hostId(host), now());
        deliver(ask(host, Verb.GET_CAPABILITIES));
        deliver(ask(host, Verb.GET_HARDWARE_INFO));
        cycle(host);
    }

    /** The recording. */
    String finish() {
        writer.close();
        world.close();
        return file.toString(StandardCharsets.UTF_8);
    }

    private static String text(JsonBody body) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(body.length());
        try {
            body.writeTo(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toString(StandardCharsets.UTF_8);
    }
}
