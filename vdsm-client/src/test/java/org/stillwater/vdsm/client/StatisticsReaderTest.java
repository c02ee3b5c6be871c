package org.stillwater.vdsm.client;

import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.vdsm.jsonrpc.Envelope;
import org.stillwater.vdsm.jsonrpc.MalformedEnvelope;
import org.stillwater.vdsm.stomp.FrameBody;
import tools.jackson.core.JacksonException;

class StatisticsReaderTest {

    /** One way of reading, and all that comes of it. */
    private static final class Way {
        private final List<String> told = new ArrayList<>();
        private final HostDecoder decoder =
                new HostDecoder(
                        50, count -> told.add("misfits " + count), verb -> told.add("cut " + verb));
        private final StatisticsReader reader = new StatisticsReader(decoder);
        private final boolean predicts;

        Way(boolean predicts) throws IOException {
            this.predicts = predicts;
            capabilities("lo", "ens1f0", "bond0");
        }

        void capabilities(String... nics) throws IOException {
            String all = "\"%s\": {}".formatted(String.join("\": {}, \"", nics));
            try (Envelope envelope =
                    Envelope.open(
                            FrameBody.utf8(
                                    "{\"id\": \"a\", \"result\": {\"nics\": {" + all + "}}}"))) {
                decoder.capabilities(envelope.payload());
            }
            told.clear();
        }

        List<String> read(byte[] message) {
            told.clear();
            FrameBody body = FrameBody.of(message.clone());
            try (Envelope envelope = Envelope.open(body)) {
                if (!envelope.hasPayload()) {
                    return List.of("nothing");
                }
                if (predicts) {
                    told.add(reader.read(envelope, body).toString());
                } else {
                    told.add(decoder.statistics(envelope.payload()).toString());
                    envelope.finish();
                }
            } catch (MalformedEnvelope | JacksonException malformed) {
                told.clear();
                told.add("malformed");
            }
            assertThat(body.toByteArray()).as("the message stays").isEqualTo(message);
            return List.copyOf(told);
        }
    }

    private Way predicting;
    private Way decoding;

    @BeforeEach
    void start() throws IOException {
        predicting = new Way(true);
        decoding = new Way(false);
    }

    /** Whether the answer was shortened. */
    private boolean both(byte[] message) {
        int before = predicting.reader.shortened();
        assertThat(predicting.read(message)).isEqualTo(decoding.read(message));
        return predicting.reader.shortened() > before;
    }

    private boolean both(String message) {
        return both(message.getBytes(UTF_8));
    }

    private static String nic(String name, SplittableRandom random) {
        return """
        "%s": {"name": "%s", "rx": "%d", "tx": "%d", "state": "up", "rxDropped": "0", \
        "txErrors": "%d", "speed": 1000, "duplex": "full", "sampleTime": %d.%06d}\
        """
                .formatted(
                        name,
                        name,
                        random.nextLong(1L << random.nextInt(1, 50)),
                        random.nextLong(1L << random.nextInt(1, 50)),
                        random.nextInt(3),
                        random.nextInt(2_000_000_000),
                        random.nextInt(1_000_000));
    }

    private static String answer(SplittableRandom random, String... nics) {
        List<String> network = new ArrayList<>();
        for (String nic : nics) {
            network.add(nic(nic, random));
        }
        return """
        {"jsonrpc": "2.0", "id": "%d", "result": {"cpuLoad": "0.%02d", "network": {%s}, \
        "rxDropped": "0", "diskStats": {"/tmp": {"free": "%d"}}, "ksmState": false, \
        "haStats": {"score": -1}, "dateTime": "2026-01-01T00:00:%02d GMT"}}\
        """
                .formatted(
                        random.nextInt(1_000, 9_999),
                        random.nextInt(100),
                        String.join(", ", network),
                        random.nextInt(100_000),
                        random.nextInt(60));
    }

    private static final String[] NICS = {"lo", "ens1f0", "vnet0", "vnet1", "vnet2", "bond0"};

    @Test
    void interfacesOfVmsAreNotParsedAgain() {
        SplittableRandom random = new SplittableRandom(1);
        assertThat(both(answer(random, NICS))).isFalse();
        for (int round = 0; round < 200; round++) {
            assertThat(both(answer(random, NICS))).as("round %d", round).isTrue();
        }
        assertThat(predicting.told.getFirst()).contains("bond0").doesNotContain("vnet");
    }

    @Test
    void aVmThatComesCostsOneAnswer() {
        SplittableRandom random = new SplittableRandom(2);
        both(answer(random, NICS));
        both(answer(random, NICS));
        assertThat(both(answer(random, "lo", "ens1f0", "vnet0", "vnet1", "bond0"))).isFalse();
        assertThat(both(answer(random, "lo", "ens1f0", "vnet0", "vnet1", "bond0"))).isTrue();
    }

    @Test
    void capabilitiesSelectTheUsedMembers() throws IOException {
        SplittableRandom random = new SplittableRandom(3);
        both(answer(random, NICS));
        assertThat(both(answer(random, NICS))).isTrue();
        for (Way way : List.of(predicting, decoding)) {
            way.capabilities("lo", "vnet1");
        }
        assertThat(both(answer(random, NICS))).isFalse();
        assertThat(predicting.told.getFirst()).contains("vnet1").doesNotContain("bond0");
        assertThat(both(answer(random, NICS))).isTrue();
        assertThat(predicting.told.getFirst()).contains("vnet1").doesNotContain("bond0");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "lo",
                "vnet0",
                "vnet0 vnet1",
                "vnet0 lo",
                "vnet0 lo vnet1",
                "lo vnet0",
                "lo vnet0 lo vnet0",
                "lo vnet0 ens1f0 vnet1 bond0 vnet2",
                "lo a lo b lo c lo d lo e lo f lo g lo h lo i lo j"
            })
    void anyOrderIsReadAlike(String nics) {
        SplittableRandom random = new SplittableRandom(4);
        for (int round = 0; round < 5; round++) {
            both(answer(random, nics.split(" ")));
        }
    }

    @Test
    void otherFormsAreReadAlike() {
        SplittableRandom random = new SplittableRandom(5);
        String message = answer(random, NICS);
        String result = message.substring(message.indexOf("{\"cpuLoad"), message.length() - 1);
        for (String form :
                List.of(
                        "{\"id\": \"a\", \"result\": %s}",
                        "{\"result\": %s, \"id\": \"a\"}",
                        " {\"id\": \"a\",\n\t\"result\" : %s\r\n}\n",
                        "{\"id\": \"a\", \"result\": %s} x",
                        "{\"id\": \"a\", \"result\": %s",
                        "{\"id\": \"a\", \"result\": [%s]}",
                        "\ufeff{\"id\": \"a\", \"result\": %s}")) {
            for (int round = 0; round < 3; round++) {
                both(form.formatted(result));
                both(form.formatted(result).getBytes(UTF_16BE));
            }
        }
        both("{\"id\": \"a\", \"result\": {}}");
        both("{\"id\": \"a\", \"result\": {\"network\": {\"lo\": {}, \"vnet0\": {}}}}");
        both("{\"id\": \"a\", \"result\": {\"network\": {\"lo\": 7, \"vnet0\": {}, \"a\": []}}}");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void everyMutationOfAnAnswerIsReadAlike(long seed) {
        mutate(seed, 2_000);
    }

    /** {@code -Dstillwater.fuzz.seeds=N} tries more. */
    @Test
    @Tag("full")
    void everyOfManyMutationsOfAnAnswerIsReadAlike() {
        int seeds = Integer.getInteger("stillwater.fuzz.seeds", 10);
        for (long seed = 100; seed < 100 + seeds; seed++) {
            mutate(seed, 50_000);
        }
    }

    private void mutate(long seed, int rounds) {
        SplittableRandom random = new SplittableRandom(seed);
        int hits = 0;
        for (int round = 0; round < rounds; round++) {
            byte[] octets = answer(random, NICS).getBytes(UTF_8);
            boolean mutated = random.nextInt(3) == 0;
            hits += both(mutated ? Mutations.of(octets, random) : octets) ? 1 : 0;
        }
        assertThat(hits).as("answers shortened, seed %s", seed).isGreaterThan(rounds / 10);
    }
}
