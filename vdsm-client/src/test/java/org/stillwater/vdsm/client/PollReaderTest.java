package org.stillwater.vdsm.client;

import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.MalformedReport;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.report.VmReportSink;
import org.stillwater.core.report.VmReports;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.vdsm.stomp.FrameBody;
import org.stillwater.vdsm.stomp.StompFrame;
import org.stillwater.vdsm.stomp.StompHeaders;

/** Reading a poll by patterns gives the decoder's result, for every message. */
class PollReaderTest {

    private static final String HEAD = "{\"jsonrpc\": \"2.0\", \"id\": \"a\", \"result\": [";
    private static final String END = "]}";

    /** The state of an engine that believes all it hears. */
    private static final class Engine implements VmReportSink, VmMessage.Verdict {
        private final Map<VmId, VmRuntime> runtimes = new HashMap<>();
        private final Map<VmId, long[]> digests = new HashMap<>();
        private final DecoderPool decoders = new DecoderPool();
        private final boolean predicts;
        private final PollMemory memory = new PollMemory();
        private List<String> told = new ArrayList<>();
        private int predicted;
        private int decoded;

        private Engine(boolean predicts) {
            this.predicts = predicts;
        }

        /** All that came of one message. */
        List<String> read(byte[] octets) {
            told = new ArrayList<>();
            predicted = 0;
            decoded = 0;
            StompFrame frame =
                    new StompFrame("MESSAGE", StompHeaders.none(), FrameBody.of(octets.clone()));
            // Without a memory of the last poll every record is decoded.
            PollMemory used = predicts ? memory : new PollMemory();
            try (VmMessage message =
                    new VmMessage(
                            VmReports.Kind.POLL,
                            Decoded.HOST,
                            frame,
                            null,
                            5,
                            7,
                            decoders,
                            used,
                            this)) {
                told.add("count " + message.decode(this));
            } catch (MalformedReport malformed) {
                told.add("malformed");
            }
            return told;
        }

        @Override
        public @Nullable VmRuntime known(VmId vmId, VmSample sample) {
            long[] known = digests.getOrDefault(vmId, new long[2]);
            sample.knownDisksUsageDigest = known[0];
            sample.knownNumaDigest = known[1];
            return runtimes.get(vmId);
        }

        @Override
        public void accept(VmReport report, @Nullable VmSample sample) {
            told.add(report + " " + (sample == null ? "none" : text(sample)));
            if (report instanceof VmReport.Running running) {
                runtimes.put(running.vmId(), running.runtime());
            }
            if (sample != null) {
                digests.put(report.vmId(), new long[] {sample.disksUsageDigest, sample.numaDigest});
            }
        }

        private static String text(VmSample sample) {
            return Decoded.text(sample)
                    + " "
                    + sample.jobs
                    + " "
                    + sample.numaNodes
                    + " "
                    + sample.disksUsageDigest
                    + " "
                    + sample.numaDigest;
        }

        @Override
        public void malformed(@Nullable VmId vmId, String reason) {
            told.add("malformed " + vmId + " " + reason);
        }

        @Override
        public void altered(VmId vmId, String wire) {
            told.add("altered " + vmId + " " + wire);
        }

        @Override
        public void understood() {}

        @Override
        public void malformed(String reason) {}

        @Override
        public void records(int predicted, int decoded) {
            this.predicted = predicted;
            this.decoded = decoded;
        }
    }

    private final Engine predicting = new Engine(true);
    private final Engine decoding = new Engine(false);

    private void both(String message) {
        both(message.getBytes(UTF_8));
    }

    private void both(byte[] message) {
        List<String> expected = decoding.read(message);
        assertThat(predicting.read(message)).isEqualTo(expected);
    }

    /** Different numbers in the places that move, in the lengths that hosts write. */
    private static String moved(String message, SplittableRandom random, boolean odd) {
        StringBuilder moved = new StringBuilder();
        int at = 0;
        while (at < message.length()) {
            char c = message.charAt(at);
            boolean begins =
                    c >= '0'
                            && c <= '9'
                            && at > 0
                            && (message.charAt(at - 1) == '"' || message.charAt(at - 1) == ' ');
            int end = at;
            while (begins
                    && end < message.length()
                    && "0123456789.".indexOf(message.charAt(end)) >= 0) {
                end++;
            }
            boolean ends = begins && "\",}".indexOf(message.charAt(end)) >= 0;
            if (ends && random.nextInt(3) == 0 && isMoving(message, at)) {
                moved.append(number(random, message.substring(at, end), odd));
                at = end;
            } else {
                moved.append(message, at, Math.max(end, at + 1));
                at = Math.max(end, at + 1);
            }
        }
        return moved.toString();
    }

    private static boolean isMoving(String message, int at) {
        int colon = message.lastIndexOf(':', at);
        String name = message.substring(message.lastIndexOf('"', colon - 2) + 1, colon - 1);
        return List.of(
                        "statusTime",
                        "cpuUser",
                        "cpuSys",
                        "elapsedTime",
                        "memUsage",
                        "mem_free",
                        "mem_unused",
                        "mem_buffers",
                        "mem_cached",
                        "rx",
                        "tx",
                        "sampleTime",
                        "readRate",
                        "writeRate",
                        "readOps",
                        "writeOps",
                        "truesize",
                        "readLatency",
                        "writeLatency",
                        "flushLatency",
                        "cpuUsage",
                        "readBytes",
                        "writtenBytes",
                        "minflt",
                        "pageflt")
                .contains(name);
    }

    private static String number(SplittableRandom random, String before, boolean odd) {
        if (odd && random.nextInt(500) == 0) {
            return Mutations.ODD_NUMBERS[random.nextInt(Mutations.ODD_NUMBERS.length)];
        }
        boolean fraction = before.indexOf('.') > 0;
        return switch (random.nextInt(5)) {
            case 0 -> fraction ? "0.00" : "0";
            case 1 -> random.nextInt(1_000) + "." + random.nextInt(100);
            case 2 ->
                    fraction
                            ? random.nextInt(100_000) + "." + random.nextLong(1_000_000_000_000L)
                            : Long.toString(random.nextLong(1L << random.nextInt(1, 60)));
            case 3 -> (before.startsWith("0") ? "" : before) + random.nextInt(10);
            default -> Integer.toString(random.nextInt(1_000));
        };
    }

    @Test
    void aFleetOfWhichOnlyNumbersMoveIsPredicted() {
        SplittableRandom random = new SplittableRandom(11);
        String message = VmDecoderTest.manyVms(20);
        both(message);
        both(message);
        for (int round = 0; round < 50; round++) {
            both(moved(message, random, false));
        }
        both(message);
        assertThat(predicting.predicted).isEqualTo(20);
        assertThat(predicting.decoded).isZero();
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
            byte[] octets = moved(message, random, true).getBytes(UTF_8);
            if (random.nextInt(3) == 0) {
                both(octets); // nothing else, so that patterns are learned and used
            } else {
                both(Mutations.of(octets, random));
            }
            hits += predicting.predicted;
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
                    assertThat(predicting.predicted).as("%s", usual).isEqualTo(1);
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
                Engine predicts = new Engine(true);
                Engine decodes = new Engine(false);
                for (String each : List.of("1.5", "1.5", "1.5", number)) {
                    byte[] message = poll(record(1, form.replace("V", each))).getBytes(UTF_8);
                    assertThat(predicts.read(message)).isEqualTo(decodes.read(message));
                }
                boolean usual = whole + places <= 15;
                assertThat(predicts.predicted >= (usual ? 1 : 0)).as(number).isTrue();
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
        assertThat(predicting.predicted).isEqualTo(10);
        String[] rest = Arrays.copyOfRange(all, 1, all.length);
        both(poll(rest));
        assertThat(predicting.predicted).as("all but the one that found its place").isEqualTo(8);
        both(poll(rest));
        assertThat(predicting.predicted).isEqualTo(9);
    }

    @Test
    void otherwiseKnownVmsAreDecoded() {
        String message = poll(record(1, "\"cpuUser\": \"1.25\", \"guestName\": \"a\""));
        for (int round = 0; round < 3; round++) {
            both(message);
        }
        assertThat(predicting.predicted).isEqualTo(1);
        predicting.runtimes.clear();
        decoding.runtimes.clear();
        both(message);
        assertThat(predicting.predicted).isZero();
        for (int round = 0; round < 3; round++) {
            both(message);
        }
        assertThat(predicting.predicted).isEqualTo(1);
        for (Engine engine : List.of(predicting, decoding)) {
            engine.digests.replaceAll((_, _) -> new long[] {1, 1});
        }
        both(message);
    }

    @Test
    void fileSystemsThatAreAsKnownArePredictedAndOthersDecoded() {
        String form = "\"cpuUser\": \"1.25\", \"disksUsage\": [{\"path\": \"/\", \"used\": \"U\"}]";
        for (int round = 0; round < 4; round++) {
            both(poll(record(1, form.replace("U", "5"))));
        }
        assertThat(predicting.predicted).isEqualTo(1);
        both(poll(record(1, form.replace("U", "6"))));
        assertThat(predicting.predicted).isZero();
        for (int round = 0; round < 9; round++) {
            both(poll(record(1, form.replace("U", "6"))));
        }
        assertThat(predicting.predicted).isEqualTo(1);
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
}
