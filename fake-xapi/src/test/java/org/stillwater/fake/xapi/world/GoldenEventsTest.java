package org.stillwater.fake.xapi.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.fake.xapi.codec.Arguments;
import org.stillwater.fake.xapi.codec.Encoding;
import org.stillwater.fake.xapi.codec.JsonReader;
import org.stillwater.fake.xapi.codec.Reply;
import org.stillwater.fake.xapi.codec.Request.Malformed;
import org.stillwater.fake.xapi.model.XClass;
import org.stillwater.fake.xapi.model.XType.DateTime;
import org.stillwater.fake.xapi.world.PoolSettings.Era;

/** A store filled with the objects of the samples answers with the samples' bytes. */
class GoldenEventsTest {

    private static final Path MESSAGES = Path.of("src/test/resources/xapi/messages");

    private Pool pool;
    private String session = "";

    private static String text(String name) throws IOException {
        return Files.readString(MESSAGES.resolve(name));
    }

    /** The result member of a sample, read through the simulator's own reader of calls. */
    private static Map<?, ?> result(String name) throws IOException, Malformed {
        String body = text(name).replaceFirst("\"result\":", "\"method\":\"m\",\"params\":[");
        body = body.substring(0, body.lastIndexOf(",\"id\":17}")) + "],\"id\":17}";
        return (Map<?, ?>) JsonReader.request(body).arguments().getFirst();
    }

    @BeforeEach
    void load() throws Exception {
        pool =
                new Pool(
                        new PoolSettings(
                                Era.Y2025, false, Duration.ofSeconds(2), Duration.ofSeconds(5)),
                        new WorldClock(0),
                        1);
        for (Object each : (List<?>) result("event-from-full.jsonrpc2.json").get("events")) {
            Map<?, ?> event = (Map<?, ?>) each;
            XClass type = pool.store.table((String) event.get("class")).type;
            create(type, (String) event.get("ref"), (Map<?, ?>) event.get("snapshot"));
        }
        // Two sessions and a user, tables without events.
        session = pool.sessions.login("root", "stillwater", "", "");
        pool.sessions.login("root", "stillwater", "", "");
        pool.store.create("user", Map.of());
    }

    /**
     * Relations would change the sets of objects that are there already: rows go in as they are.
     */
    private void create(XClass type, String ref, Map<?, ?> snapshot) throws Malformed {
        Map<String, Object> fields = new LinkedHashMap<>();
        for (XClass.XField field : type.fields()) {
            assertThat(snapshot.containsKey(field.name())).as(type.name() + field.name()).isTrue();
            fields.put(field.name(), Arguments.read(field.type(), snapshot.get(field.name())));
        }
        pool.store.load(type.name(), ref, fields);
    }

    private Object from(String token) {
        return pool.events.from(session, List.of("*"), token, 0);
    }

    /** The two logins came after the objects; the sample's token counts objects only. */
    private Object asSampled(Object batch, String token) {
        @SuppressWarnings("unchecked")
        Map<String, Object> copy = new LinkedHashMap<>((Map<String, Object>) batch);
        copy.put("token", token);
        return copy;
    }

    @Test
    @DisplayName("X1, X3 the whole pool by event.from has the real codec's bytes in all encodings")
    void wholePool() throws Exception {
        Reply reply =
                new Reply.Success(asSampled(from(""), "00000000000000001065,00000000000000000002"));
        Map<String, Encoding> files = new LinkedHashMap<>();
        files.put("event-from-full.jsonrpc2.json", Encoding.JSON_RPC_2);
        files.put("event-from-full.jsonrpc1.json", Encoding.JSON_RPC_1);
        files.put("event-from-full.xmlrpc.xml", Encoding.XML_RPC);
        files.put("event-from-full.json-in-xml.xml", Encoding.JSON_IN_XML);
        files.put("event-from-full.jsonrpc1-old.json", Encoding.JSON_RPC_OLD);
        for (Map.Entry<String, Encoding> each : files.entrySet()) {
            assertThat(each.getValue().write(reply, 17L).toBytes())
                    .as(each.getKey())
                    .isEqualTo(Files.readAllBytes(MESSAGES.resolve(each.getKey())));
        }
    }

    @Test
    @DisplayName("X26 deletions have no snapshot, and the counts are lower at once")
    void deletions() throws Exception {
        String token = (String) ((Map<?, ?>) from("")).get("token");
        for (Object each : (List<?>) result("event-del.jsonrpc2.json").get("events")) {
            Map<?, ?> event = (Map<?, ?>) each;
            String type = (String) event.get("class");
            pool.store.unload(pool.store.table(type).type.name(), (String) event.get("ref"));
        }
        Map<?, ?> batch = (Map<?, ?>) from(token);
        List<Object> events = new ArrayList<>();
        for (Object each : (List<?>) batch.get("events")) {
            Map<Object, Object> event = new LinkedHashMap<>((Map<?, ?>) each);
            event.put("id", Long.toString(1067 + events.size()));
            events.add(event);
        }
        Map<String, Object> sampled = new LinkedHashMap<>();
        sampled.put("events", events);
        sampled.put("valid_ref_counts", batch.get("valid_ref_counts"));
        sampled.put("token", "00000000000000001069,00000000000000000002");
        assertThat(Encoding.XML_RPC.write(new Reply.Success(sampled), 17L).toString())
                .isEqualTo(text("event-del.xmlrpc.xml"));
        assertThat(Encoding.JSON_IN_XML.write(new Reply.Success(sampled), 17L).toString())
                .isEqualTo(text("event-del.json-in-xml.xml"));
    }

    @Test
    @DisplayName("X1 all records, a time and a void have the real codec's bytes")
    void others() throws Exception {
        Map<String, Object> records = new LinkedHashMap<>();
        pool.objects("VM").forEach(each -> records.put(each.ref(), each.fields()));
        Map<?, ?> sampled = result("get_all_records-VM.jsonrpc2.json");
        Map<String, Object> ordered = new LinkedHashMap<>();
        sampled.keySet().forEach(each -> ordered.put((String) each, records.get(each)));
        assertThat(Encoding.XML_RPC.write(new Reply.Success(ordered), 17L).toString())
                .isEqualTo(text("get_all_records-VM.xmlrpc.xml"));
        Reply time = new Reply.Success(new DateTime("20260821T02:00:23Z"));
        assertThat(Encoding.JSON_IN_XML.write(time, 17L).toString())
                .isEqualTo(text("servertime.json-in-xml.xml"));
        assertThat(Encoding.XML_RPC.write(new Reply.Success(""), 17L).toString())
                .isEqualTo(text("void.xmlrpc.xml"));
    }

    @Test
    @DisplayName("X3 the list of methods has the real server's names and bytes")
    void methods() throws Exception {
        assertThat(
                        Encoding.JSON_RPC_2
                                .write(pool.call("", "system.listMethods", List.of()), 17L)
                                .toString())
                .isEqualTo(text("listMethods.jsonrpc2.json"));
        assertThat(
                        Encoding.XML_RPC
                                .write(pool.call("", "system.listMethods", List.of()), 17L)
                                .toString())
                .isEqualTo(text("listMethods.xmlrpc.xml"));
    }
}
