package org.stillwater.vdsm.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reading a poll by patterns gives the decoder's result, for every message. */
class PollReaderTest {

    private static final String HEAD = "{\"jsonrpc\": \"2.0\", \"id\": \"a\", \"result\": [";
    private static final String END = "]}";

    private final PollEngine predicting = PollEngine.predicting();
    private final PollEngine decoding = PollEngine.decoding();

    private void both(String message) {
        both(message.getBytes(UTF_8));
    }

    private void both(byte[] message) {
        List<Object> expected = decoding.read(message);
        assertThat(predicting.read(message)).isEqualTo(expected);
    }

    @Test
    void aFleetOfWhichOnlyNumbersMoveIsPredicted() {
        SplittableRandom random = new SplittableRandom(11);
        String message = VmDecoderTest.manyVms(20);
        both(message);
        both(message);
        for (int round = 0; round < 50; round++) {
            both(Mutations.moved(message, random, false));
        }
        both(message);
        assertThat(predicting.predicted()).isEqualTo(20);
        assertThat(predicting.decoded()).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void everyMutationOfAMessageIsReadAlike(long seed) {
        mutate(seed, 700);
    }

    /** {@code -Dstillwater.fuzz.seeds=N} tries more: each seed is some 30 000 records. */
    @Test
    @Tag("full")
    @Timeout(value = 6, unit = TimeUnit.HOURS)
    void everyOfManyMutationsOfAMessageIsReadAlike() {
        int seeds = Integer.getInteger("stillwater.fuzz.seeds", 10);
        for (long seed = 100; seed < 100 + seeds; seed++) {
            mutate(seed, 10_000);
        }
    }

    private void mutate(long seed, int rounds) {
        SplittableRandom random = new SplittableRandom(seed);
        String message = VmDecoderTest.manyVms(3);
        int hits = 0;
        for (int round = 0; round < rounds; round++) {
            byte[] octets = Mutations.moved(message, random, true).getBytes(UTF_8);
            if (random.nextInt(3) == 0) {
                both(octets); // nothing else, so that patterns are learned and used
            } else {
                both(Mutations.of(octets, random));
            }
            hits += predicting.predicted();
        }
        assertThat(hits).as("records predicted, seed %s", seed).isGreaterThan(rounds / 3);
    }

    private static String record(int vm, String numbers) {
        return "{\"statusTime\": \"5\", \"status\": \"Up\", \"vmId\": \"00000000-0000-0000-0000-%012d\", %s}"
                .formatted(vm, numbers);
    }

    private static String poll(String... records) {
        return HEAD + String.join(", ", records) + END;
    }

    @Test
    void everyFormOfANumberIsReadAlike() {
        String form =
                "\"cpuUser\": V, \"elapsedTime\": V, \"memoryStats\": {\"mem_free\": V}, \"disks\":"
                    + " {\"vda\": {\"readRate\": V, \"readOps\": V}}, \"unknown\": [V, {\"deep\":"
                    + " V}]";
        for (String usual : List.of("7", "\"7\"", "7.5", "\"7.5\"")) {
            for (String odd : Mutations.ODD_NUMBERS) {
                for (String written : List.of(odd, '"' + odd + '"')) {
                    for (int n = 0; n < 3; n++) {
                        both(poll(record(1, form.replace("V", usual))));
                    }
                    assertThat(predicting.predicted()).as("%s", usual).isEqualTo(1);
                    both(poll(record(1, form.replace("V", written))));
                    both(poll(record(1, form.replace("V", written))));
                    // One at a time, so that no other one is the surprise.
                    for (int at = form.indexOf('V'); at >= 0; at = form.indexOf('V', at + 1)) {
                        String one = form.substring(0, at) + written + form.substring(at + 1);
                        for (int n = 0; n < 3; n++) {
                            both(poll(record(1, form.replace("V", usual))));
                        }
                        both(poll(record(1, one.replace("V", usual))));
                    }
                }
            }
        }
    }

    @Test
    void numbersOfAnyLengthAreReadAlike() {
        String form =
                "\"cpuUser\": V, \"elapsedTime\": V, \"disks\": {\"vda\": {\"readRate\": V,"
                        + " \"readOps\": V}}, \"last\": V";
        String digits = "9876543210123456789";
        for (int whole = 1; whole <= digits.length(); whole++) {
            for (int places = 0; places <= digits.length(); places++) {
                String number = digits.substring(0, whole);
                if (places > 0) {
                    number += '.' + digits.substring(digits.length() - places);
                }
                PollEngine predicts = PollEngine.predicting();
                PollEngine decodes = PollEngine.decoding();
                for (String each : List.of("1.5", "1.5", "1.5", number)) {
                    byte[] message = poll(record(1, form.replace("V", each))).getBytes(UTF_8);
                    assertThat(predicts.read(message)).isEqualTo(decodes.read(message));
                }
                boolean usual = whole + places <= 15;
                assertThat(predicts.predicted() >= (usual ? 1 : 0)).as(number).isTrue();
            }
        }
    }

    @Test
    void vmsThatGoComeAndChangePlacesAreFound() {
        SplittableRandom random = new SplittableRandom(5);
        List<Integer> vms = new ArrayList<>(List.of(1, 2, 3, 4, 5, 6, 7, 8));
        int next = 9;
        for (int round = 0; round < 400; round++) {
            switch (random.nextInt(6)) {
                case 0 -> vms.add(next++);
                case 1 -> {
                    if (vms.size() > 2) {
                        int gone = random.nextInt(vms.size());
                        vms.subList(gone, gone + 1).clear();
                    }
                }
                case 2 -> vms.addFirst(vms.removeLast());
                case 3 -> vms.add(vms.getFirst()); // twice
                default -> {}
            }
            int cpu = random.nextInt(100);
            both(
                    poll(
                            vms.stream()
                                    .map(vm -> record(vm, "\"cpuUser\": \"" + cpu + ".25\""))
                                    .toArray(String[]::new)));
            if (vms.size() > 30) {
                vms.subList(10, vms.size()).clear();
            }
        }
    }

    @Test
    void aVmThatIsGoneCostsNoOtherItsPattern() {
        String[] all = new String[10];
        for (int vm = 0; vm < all.length; vm++) {
            all[vm] = record(vm, "\"cpuUser\": \"1.25\"");
        }
        for (int round = 0; round < 3; round++) {
            both(poll(all));
        }
        assertThat(predicting.predicted()).isEqualTo(10);
        String[] rest = Arrays.copyOfRange(all, 1, all.length);
        both(poll(rest));
        assertThat(predicting.predicted()).as("all but the one that found its place").isEqualTo(8);
        both(poll(rest));
        assertThat(predicting.predicted()).isEqualTo(9);
    }

    @Test
    void otherwiseKnownVmsAreDecoded() {
        String message = poll(record(1, "\"cpuUser\": \"1.25\", \"guestName\": \"a\""));
        for (int round = 0; round < 3; round++) {
            both(message);
        }
        assertThat(predicting.predicted()).isEqualTo(1);
        predicting.runtimes.clear();
        decoding.runtimes.clear();
        both(message);
        assertThat(predicting.predicted()).isZero();
        for (int round = 0; round < 3; round++) {
            both(message);
        }
        assertThat(predicting.predicted()).isEqualTo(1);
        for (PollEngine engine : List.of(predicting, decoding)) {
            engine.digests.replaceAll((_, _) -> new long[] {1, 1});
        }
        both(message);
    }

    @Test
    void aPatternThatIsLearnedAgainKeepsNoSecondId() {
        for (String note : List.of("a", "b")) {
            String message = poll(record(1, "\"cpuUser\": \"1.25\", \"note\": \"" + note + "\""));
            for (int round = 0; round < 4; round++) {
                both(message);
            }
            assertThat(predicting.predicted()).isEqualTo(1);
        }
        assertThat(predicting.patternsShareIds()).isTrue();
    }

    @Test
    void fileSystemsThatAreAsKnownArePredictedAndOthersDecoded() {
        String form = "\"cpuUser\": \"1.25\", \"disksUsage\": [{\"path\": \"/\", \"used\": \"U\"}]";
        for (int round = 0; round < 4; round++) {
            both(poll(record(1, form.replace("U", "5"))));
        }
        assertThat(predicting.predicted()).isEqualTo(1);
        both(poll(record(1, form.replace("U", "6"))));
        assertThat(predicting.predicted()).isZero();
        for (int round = 0; round < 9; round++) {
            both(poll(record(1, form.replace("U", "6"))));
        }
        assertThat(predicting.predicted()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[",
                "[1",
                "[{}",
                "[,",
                "[1,]",
                "[{\"vmId\": \"x\"},]",
                "[]",
                "[ ]",
                "[null, 7, \"a\", [], {}]",
                "[1 2]",
                "[{} {}]",
                "[]]",
                "[]}x",
                "[]} ",
                "[], \"id\": \"b\"}",
                "[], \"x\": {\"y\": [1]}}",
                "[], \"x\": }",
                "{}}",
                "null}",
                "[true, false]}",
                "[\"a\\u0041\", -1.5e3]}"
            })
    void odditiesOfTheListAreReadAlike(String list) {
        both("{\"id\": \"a\", \"result\": " + list);
        both("{\"id\": \"a\", \"result\": " + list + "}");
        both("{\"result\": " + list + ", \"id\": \"a\"}");
        both(" {\"id\": \"a\",\n\t\"result\" : " + list + "\r\n}\n");
        String whole = "\"result\": " + list;
        both("\ufeff{\"id\": \"a\", " + whole + "}");
        both(("{\"id\": \"a\", " + whole + "}").getBytes(UTF_16BE));
    }

    @Test
    void anElementThatIsNoTextIsReadAlike() {
        for (String list : List.of("[\"a\u00e9\", 1]", "[{}, \"\u00e9", "[7, \"\u00e9\"")) {
            byte[] latin = ("{\"id\": \"a\", \"result\": " + list + "}").getBytes(ISO_8859_1);
            both(latin);
            assertThat(predicting.refused()).isTrue();
        }
    }
}
