package org.stillwater.fake.world;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.stillwater.fake.net.HostEndpoint;
import org.stillwater.fake.net.HostEvent;
import org.stillwater.fake.net.HostName;
import org.stillwater.fake.net.JsonBody;
import org.stillwater.fake.net.RpcCall;
import org.stillwater.fake.net.RpcReply;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A world with a stepped clock, asked without sockets. */
final class Lab {

    static final JsonMapper JSON = JsonMapper.builder().build();

    final World world;
    final List<Told> events = Collections.synchronizedList(new ArrayList<>());

    /** An event and the host it came from. */
    record Told(HostName host, String method, String text) {
        JsonNode json() {
            return JSON.readTree(text);
        }

        /** The record of the VM's id. */
        JsonNode content() {
            return json().get("params").get(vmId());
        }

        String vmId() {
            return method.substring(method.lastIndexOf('|') + 1);
        }

        long notifyTime() {
            return json().get("params").get("notify_time").asLong();
        }
    }

    /** An answer: a result or an error. */
    record Answer(String text, int code, String message) {
        JsonNode json() {
            return JSON.readTree(text);
        }
    }

    Lab(WorldSettings settings) {
        this(settings, SimulationClock.manual());
    }

    Lab(WorldSettings settings, SimulationClock clock) {
        world = World.create(settings, clock);
        world.publishTo(this::hear);
    }

    static Lab of(int hosts, int vmsPerHost) {
        return new Lab(WorldSettings.of(7, hosts, vmsPerHost));
    }

    private void hear(HostName host, HostEvent event) {
        events.add(new Told(host, event.method(), text(event.json())));
    }

    HostEndpoint endpoint(int host) {
        return world.endpoints().get(host);
    }

    Answer ask(int host, String verb, String params) {
        List<Answer> answers = new ArrayList<>();
        endpoint(host)
                .call(
                        new RpcCall(verb, JSON.readTree(params), null),
                        new RpcReply() {
                            @Override
                            public void result(JsonBody body) {
                                answers.add(new Answer(text(body), 0, ""));
                            }

                            @Override
                            public void error(int code, String message) {
                                answers.add(new Answer("null", code, message));
                            }
                        });
        if (answers.size() != 1) {
            throw new AssertionError("answers: " + answers);
        }
        return answers.getFirst();
    }

    JsonNode result(int host, String verb, String params) {
        Answer answer = ask(host, verb, params);
        if (answer.code() != 0) {
            throw new AssertionError(verb + ": " + answer.code() + " " + answer.message());
        }
        return answer.json();
    }

    JsonNode result(int host, String verb) {
        return result(host, verb, "{}");
    }

    /** The record of one VM on one host. */
    JsonNode stats(int host, SimulatedVm vm) {
        return result(host, "VM.getStats", "{\"vmID\": \"%s\"}".formatted(vm.id())).get(0);
    }

    void pass(long seconds) {
        world.advance(Duration.ofSeconds(seconds));
    }

    /** The events since the last call. */
    List<Told> heard() {
        List<Told> heard = List.copyOf(events);
        events.clear();
        return heard;
    }

    SimulatedHost host(int number) {
        return world.hosts().get(number);
    }

    /** A VM created on a host that is up, agent and all. */
    SimulatedVm settledVm(int host) {
        SimulatedVm vm = host(host).create(MachineSpec.ordinary());
        pass(120);
        heard();
        return vm;
    }

    static String text(JsonBody body) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(body.length());
        try {
            body.writeTo(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (out.size() != body.length()) {
            throw new AssertionError("length " + body.length() + ", wrote " + out.size());
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    static JsonNode sample(String name) {
        try (InputStream in = Lab.class.getResourceAsStream("/samples/" + name + ".json")) {
            return JSON.readTree(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
