package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.server.ContractSubject.Change;
import org.stillwater.server.RunningEngine.Event;
import org.stillwater.server.RunningEngine.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.LongNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What the event stream says of hosts and VMs, whatever their hypervisor, as server-sent events and
 * over WebSocket. Its snapshots come in pieces of seven; a heart-beat comes ten times a second.
 */
abstract class StreamContract {

    /** The hosts and VMs of this run. */
    abstract ContractSubject subject();

    private RunningEngine engine() {
        return subject().engine();
    }

    private SocketReader reader(String query) {
        return new SocketReader(engine(), query);
    }

    @Test
    void aStreamBeginsWithASnapshotInPiecesAndContinuesWithChangesInOrder() throws Exception {
        try (Stream stream = engine().stream("")) {
            assertThat(stream.answer().headers().firstValue("Content-Type"))
                    .get()
                    .asString()
                    .startsWith("text/event-stream");
            int vms = 0;
            int hosts = 0;
            Event event = stream.next();
            while (event.name().equals("snapshot")) {
                assertThat(event.id()).isNull();
                assertThat(event.json().path("vms").size()).isLessThanOrEqualTo(7);
                vms += event.json().path("vms").size();
                hosts += event.json().path("hosts").size();
                event = stream.next();
            }
            assertThat(event.name()).isEqualTo("snapshot-end");
            assertThat(vms).isEqualTo(subject().vms());
            assertThat(hosts).isEqualTo(subject().hosts());
            long revision = event.json().path("revision").asLong();

            Change change = subject().change(2);
            change.make();
            Event delta = deltaOf(stream, change);
            assertThat(delta.json().path("vm").path(change.member()).asString())
                    .isEqualTo(change.value());
            assertThat(delta.json().path("vm").path("observedAt").asString()).endsWith("Z");
            assertThat(delta.json().path("revision").asLong()).isGreaterThan(revision);
            assertThat(delta.id()).endsWith("-" + delta.json().path("revision").asLong());
        }
    }

    /** Its reader gets no byte by whose loss the engine would notice that it has gone. */
    @Test
    void theHeadOfAStreamIsAnsweredAndTakesNoPlace() {
        for (int i = 0; i < 3; i++) {
            HttpResponse<String> head =
                    engine().send(engine().api().request("/api/v1/stream").HEAD().build());
            assertThat(head.statusCode()).isEqualTo(200);
            assertThat(head.headers().firstValue("Content-Type"))
                    .get()
                    .asString()
                    .startsWith("text/event-stream");
        }
        RunningEngine.await(
                () -> engine().gauge("stillwater.stream.subscribers") == 0,
                () -> "subscribers: " + engine().gauge("stillwater.stream.subscribers"));
    }

    private static Event deltaOf(Stream stream, Change change) throws Exception {
        Event event = stream.next("delta");
        while (event != null && !isOf(event.json(), change)) {
            event = stream.next("delta");
        }
        assertThat(event).as("the change").isNotNull();
        return event;
    }

    private static boolean isOf(JsonNode delta, Change change) {
        return delta.path("id").asString("").equals(change.vm())
                && texts(delta.path("changed")).contains(change.member());
    }

    @ParameterizedTest
    @ValueSource(strings = {"columns", "packed"})
    void aSnapshotByColumnsHasTheSameVms(String form) {
        String fields =
                "fields=name,status,clusterId,cpus,guestNics,tags,memoryMebibytes,lastStartAt,"
                        + "revision";
        List<Map<String, JsonNode>> told = new ArrayList<>();
        // A change of a VM, as the end of an earlier test causes it, may come between two reads.
        RunningEngine.await(
                () -> {
                    told.clear();
                    told.add(inRows(fields));
                    told.add(inColumns(form, fields));
                    return told.getFirst().equals(told.getLast());
                },
                () -> "rows and columns: " + told);
        assertThat(told.getFirst()).isNotEmpty();
    }

    /** All VMs of a snapshot, by their ids. */
    private Map<String, JsonNode> inRows(String fields) {
        Map<String, JsonNode> rows = new HashMap<>();
        try (Stream stream = engine().stream("?entity=vm&" + fields)) {
            Event event = stream.next();
            for (; event.name().equals("snapshot"); event = stream.next()) {
                event.json()
                        .path("vms")
                        .forEach(vm -> rows.put(vm.path("id").asString(), inMillis(vm)));
            }
        } catch (Exception e) {
            throw new AssertionError("the stream failed", e);
        }
        return rows;
    }

    /** As {@link #inRows}, from a snapshot by columns. */
    private Map<String, JsonNode> inColumns(String form, String fields) {
        Map<String, JsonNode> found = new HashMap<>();
        boolean isShort = false;
        try (Stream stream = engine().stream("?entity=vm&snapshot=" + form + "&" + fields)) {
            Event event = stream.next();
            for (; event.name().equals("snapshot"); event = stream.next()) {
                JsonNode columns = event.json().path("vms").path("columns");
                isShort |= columns.path("clusterId").has("at");
                for (int i = 0; i < event.json().path("vms").path("count").asInt(); i++) {
                    ObjectNode vm = JsonNodeFactory.instance.objectNode();
                    for (Map.Entry<String, JsonNode> column : columns.properties()) {
                        vm.set(column.getKey(), valueAt(column.getValue(), i));
                    }
                    found.put(vm.path("id").asString(), inMillis(vm));
                }
            }
        } catch (Exception e) {
            throw new AssertionError("the stream failed", e);
        }
        assertThat(isShort).as("the few clusters are named once").isTrue();
        return found;
    }

    /** Of a VM in a column of any form. */
    private static JsonNode valueAt(JsonNode column, int vm) {
        if (column.isArray()) {
            return column.path(vm);
        }
        if (column.has("least")) {
            JsonNode more = column.path("more").path(vm);
            return more.isNull()
                    ? more
                    : LongNode.valueOf(column.path("least").asLong() + more.asLong());
        }
        return column.path("values").path(column.path("at").path(vm).asInt());
    }

    /** A VM with the forms that all snapshots have: times in milliseconds, whole numbers alike. */
    private static JsonNode inMillis(JsonNode vm) {
        ObjectNode same = JsonNodeFactory.instance.objectNode();
        vm.properties()
                .forEach(member -> {
                    JsonNode value = member.getValue();
                    same.set(
                            member.getKey(),
                            member.getKey().endsWith("At") && value.isString()
                                    ? LongNode.valueOf(
                                            Instant.parse(value.asString()).toEpochMilli())
                                    : value.isIntegralNumber()
                                            ? LongNode.valueOf(value.asLong())
                                            : value);
                });
        return same;
    }

    @Test
    void aStreamResumesAfterTheLastEventSeen() throws Exception {
        String seen;
        try (Stream stream = engine().stream("?entity=vm")) {
            seen = stream.next("snapshot-end").id();
        }
        Change change = subject().change(3);
        change.make();
        try (Stream resumed = engine().stream("?entity=vm", "Last-Event-ID", seen)) {
            Event first = resumed.next();
            assertThat(first.name()).isEqualTo("delta");
            if (!isOf(first.json(), change)) {
                first = deltaOf(resumed, change);
            }
            assertThat(first.json().path("vm").path(change.member()).asString())
                    .isEqualTo(change.value());
        }
        try (Stream resumed = engine().stream("?lastEventId=" + seen)) {
            assertThat(resumed.next().name()).isEqualTo("delta");
        }
        try (Stream strange = engine().stream("", "Last-Event-ID", "otherlife-1")) {
            assertThat(strange.next().name()).isEqualTo("snapshot");
        }
    }

    @Test
    void eventsComeOnTheStreamAndItResumesForThemToo() throws Exception {
        String vm = subject().vm(1);
        Event first;
        try (Stream stream = engine().stream("?entity=event")) {
            assertThat(stream.next().name()).isEqualTo("snapshot-end");
            carriedOut(vm, "pause");
            first = auditOf(stream, vm);
        }
        carriedOut(vm, "resume");
        try (Stream resumed = engine().stream("?entity=event", "Last-Event-ID", first.id())) {
            Event next = auditOf(resumed, vm);
            assertThat(next.json().path("revision").asLong())
                    .isGreaterThan(first.json().path("revision").asLong());
            assertThat(next.json().path("entry").path("id"))
                    .isNotEqualTo(first.json().path("entry").path("id"));
        }
    }

    private void carriedOut(String vm, String action) {
        var taken = engine().post("/api/v1/vms/" + vm + "/" + action);
        assertThat(taken.statusCode()).as(taken.body()).isEqualTo(202);
        String operation =
                "/api/v1/operations/"
                        + RunningEngine.JSON.readTree(taken.body()).path("id").asString();
        RunningEngine.await(
                () -> {
                    subject().pass();
                    return engine().json(operation).path("endedAt").isString();
                },
                () -> engine().json(operation).toString());
    }

    /** Streams of events have nothing but events, once the snapshot is over. */
    private static Event auditOf(Stream stream, String vm) throws Exception {
        Event event = stream.next();
        while (event != null) {
            assertThat(event.name()).isEqualTo("audit");
            if (event.json().path("entry").path("vmId").asString("").equals(vm)) {
                return event;
            }
            event = stream.next();
        }
        throw new AssertionError("the stream ended");
    }

    @Test
    void aSocketGetsASnapshotThenEveryChangeInOrder() throws Exception {
        try (SocketReader reader = reader("?entity=vm,host")) {
            Set<String> vms = new HashSet<>();
            JsonNode message = reader.next();
            while (message.path("type").asString().equals("snapshot")) {
                assertThat(message.path("vms").size()).isLessThanOrEqualTo(7);
                vms.addAll(message.path("vms").findValuesAsString("id"));
                message = reader.next();
            }
            assertThat(message.path("type").asString()).isEqualTo("snapshot-end");
            assertThat(vms).hasSize(subject().vms());
            long revision = message.path("revision").asLong();
            Change change = subject().change(4);
            change.make();
            JsonNode delta = reader.next("delta");
            while (!isOf(delta, change)) {
                assertThat(delta.path("revision").asLong()).isGreaterThan(revision);
                revision = delta.path("revision").asLong();
                delta = reader.next("delta");
            }
            assertThat(delta.path("vm").path(change.member()).asString()).isEqualTo(change.value());
            assertThat(reader.next("heartbeat").path("revision").isNumber()).isTrue();
        }
    }

    @Test
    void aSocketResumesAfterTheLastRevisionSeen() throws Exception {
        long seen;
        try (SocketReader reader = reader("?entity=vm")) {
            seen = reader.next("snapshot-end").path("revision").asLong();
        }
        Change change = subject().change(5);
        change.make();
        try (SocketReader reader = reader("?entity=vm&since=" + seen)) {
            JsonNode first = reader.next();
            assertThat(first.path("type").asString()).isEqualTo("delta");
            while (!isOf(first, change)) {
                first = reader.next("delta");
            }
        }
        try (SocketReader reader = reader("?entity=vm&since=17")) {
            assertThat(reader.next().path("type").asString()).isEqualTo("snapshot");
        }
    }

    @Test
    void messagesSetAndChangeASubscription() throws Exception {
        Change change = subject().change(6);
        try (SocketReader reader = reader("")) {
            reader.socket
                    .sendText(
                            "{\"type\":\"subscribe\",\"vm\":[\"%s\"],\"entity\":\"vm\",\"fields\":\"name,%s\"}"
                                    .formatted(change.vm(), change.member()),
                            true)
                    .join();
            JsonNode snapshot = reader.next("snapshot");
            assertThat(snapshot.path("vms")).hasSize(1);
            assertThat(snapshot.path("vms").get(0).propertyNames())
                    .containsExactlyInAnyOrder("id", "name", change.member());
            change.make();
            JsonNode delta = reader.next("delta");
            assertThat(delta.path("id").asString()).isEqualTo(change.vm());
            assertThat(delta.path("vm").path(change.member()).asString()).isEqualTo(change.value());
            assertThat(delta.path("vm").has("hostId")).isFalse();
            reader.socket.sendText("{\"type\":\"subscribe\",\"entity\":\"host\"}", true).join();
            assertThat(reader.next("snapshot-end").path("hosts").asInt())
                    .isEqualTo(subject().hosts());
        }
        try (SocketReader silent = reader("")) {
            assertThat(silent.next("snapshot-end").path("vms").asInt())
                    .as("who says nothing is told everything")
                    .isEqualTo(subject().vms());
        }
    }

    @Test
    void numbersAreSentOnRequest() throws Exception {
        try (SocketReader reader =
                reader("?entity=vm&statistics=true&fields=name,statistics.cpu")) {
            reader.next("snapshot-end");
            engine().pollAll();
            JsonNode numbers = reader.next("statistics");
            assertThat(numbers.path("hostId").isString()).isTrue();
            assertThat(numbers.path("vms").get(0).propertyNames()).containsExactly("id", "cpu");
        }
        try (Stream stream = engine().stream("?entity=host&statistics=true")) {
            stream.next("snapshot-end");
            engine().pollAll();
            Event event = stream.next("statistics");
            assertThat(event.json().path("vms").get(0).has("cpuUserPercent")).isTrue();
            assertThat(event.id()).isNull();
        }
    }

    @Test
    void aFilteredSubscriptionGetsEntriesAndExitsOnly() throws Exception {
        String id = subject().vm(2);
        String vm = "/api/v1/vms/" + id;
        String from = engine().json(vm).path("hostId").asString();
        List<String> others =
                engine().json("/api/v1/hosts").path("items").findValuesAsString("id").stream()
                        .filter(each -> !each.equals(from))
                        .toList();
        String to = others.getFirst();
        try (SocketReader left = reader("?entity=vm&host=" + from);
                SocketReader entered = reader("?entity=vm&host=" + to);
                SocketReader third = reader("?entity=vm&host=" + others.get(1));
                SocketReader both = reader("?entity=vm&host=" + from + "," + to);
                SocketReader cluster = reader("?entity=vm&cluster=" + subject().cluster());
                SocketReader fields = reader("?entity=vm&fields=name,status&vm=" + id);
                SocketReader light = reader("?entity=vm&view=light&vm=" + id)) {
            for (SocketReader each : List.of(left, entered, third, both, cluster, fields, light)) {
                each.next("snapshot-end");
            }
            subject().migrate(id, to);
            // An engine without time for its events would see the VM before and after it only.
            RunningEngine.await(
                    () -> engine().json(vm).path("status").asString("").startsWith("migrating"),
                    () -> engine().get(vm).body());
            RunningEngine.await(
                    () -> {
                        subject().pass();
                        JsonNode now = engine().json(vm);
                        return now.path("hostId").asString("").equals(to)
                                && now.path("status").asString().equals("up");
                    },
                    () -> engine().get(vm).body());
            long now = engine().json("/api/v1/vms?limit=1").path("revision").asLong();
            assertThat(changes(left.upTo(now), id))
                    .endsWith("removed")
                    .containsOnlyOnce("removed")
                    .doesNotContain("added");
            assertThat(changes(entered.upTo(now), id))
                    .startsWith("added")
                    .containsOnlyOnce("added")
                    .doesNotContain("removed");
            assertThat(changes(third.upTo(now), id)).isEmpty();
            assertThat(changes(both.upTo(now), id)).isNotEmpty().containsOnly("changed");
            assertThat(changes(cluster.upTo(now), id)).isNotEmpty().containsOnly("changed");
            List<JsonNode> few = fields.upTo(now);
            assertThat(few).isNotEmpty();
            for (JsonNode delta : few) {
                assertThat(texts(delta.path("changed"))).containsExactly("status");
                assertThat(delta.path("vm").propertyNames()).containsExactly("id", "status");
            }
            for (JsonNode delta : light.upTo(now)) {
                assertThat(texts(delta.path("changed")))
                        .isSubsetOf("status", "guestIps", "placement");
            }
        }
    }

    /** The messages about one VM. */
    private static List<String> changes(List<JsonNode> messages, String id) {
        return messages.stream()
                .filter(message -> message.path("id").asString("").equals(id))
                .map(message -> message.path("change").asString())
                .toList();
    }

    private static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(each -> texts.add(each.asString()));
        return texts;
    }

    @Test
    void aSubscriptionOfVmsGetsHostsOnlyOnRequest() throws Exception {
        String noVm = "vm=" + new UUID(0, 7);
        assertThat(hosts("?" + noVm)).isZero();
        assertThat(hosts("?entity=vm,host&" + noVm)).isEqualTo(subject().hosts());
        assertThat(hosts("?entity=vm&entity=host&" + noVm))
                .as("as of other requests")
                .isEqualTo(subject().hosts());
        String one = engine().json("/api/v1/hosts").path("items").path(0).path("name").asString();
        assertThat(hosts("?" + noVm + "&host=" + one)).isEqualTo(1);
    }

    /** Number of hosts in a snapshot. */
    private int hosts(String query) throws Exception {
        try (SocketReader reader = reader(query)) {
            return reader.next("snapshot-end").path("hosts").asInt();
        }
    }
}
