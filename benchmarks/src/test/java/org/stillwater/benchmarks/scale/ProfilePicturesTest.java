package org.stillwater.benchmarks.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProfilePicturesTest {

    private static final String DATA =
            """
            {"scenario": "stable", "commit": "c0ffee", "vms": 6000, "hosts": 1, "cycles": 240,
             "intervalSeconds": 5, "machine": "2 x <a> & b",
             "cpuMillisPerVmCycle": 0.05, "databaseCpuMillisPerVmCycle": 0.01,
             "monitoringSqlPerStableCycle": 0, "historySqlPerStableCycle": 0.3,
             "warehouseSqlPerStableCycle": 1.1, "heapLiveMiB": 98.2, "rssMiB": 555.6,
             "profile": {
               "cpuMicrosPerVmCycle": {"decode": {"median": 20}, "write": {"median": 1},
                                       "history": {"median": 2}, "rest": {"median": 0}},
               "allocatedBytesPerVmCycle": {"decode": {"median": 1500}},
               "statementCallsPerCycle": {"A.x, dwh": {"median": 1.5}, "B.y, history": {"median": 0.3}},
               "statementMeanMicros": {"A.x, dwh": {"median": 2000}, "B.y, history": {"median": 90000}}}}
            """;

    @TempDir private Path folder;

    private Map<String, String> pictures() throws Exception {
        Path data = folder.resolve(ProfilePictures.DATA);
        Files.writeString(data, DATA);
        return ProfilePictures.of(ProfilePictures.read(data));
    }

    @Test
    void theFourFiguresStandBesideThePublishedOnes() throws Exception {
        Map<String, String> pictures = pictures();
        assertThat(pictures)
                .containsOnlyKeys(
                        "profile-cpu.svg",
                        "profile-hot-spots.svg",
                        "profile-statements.svg",
                        "profile-memory.svg");
        assertThat(pictures.get("profile-cpu.svg"))
                .as("0.05 ms x 6 000 VMs x 240 cycles")
                .contains(">72 s<", ">161 s<", ">2 297 s<", ">1 789 s<")
                .as("decode, and what is written")
                .contains(">29 s<", ">1 451 s<", ">814 s<", ">4.3 s<", ">546 s<", ">114 s<")
                .contains("240 cycles of 5.0 s, accelerated from 15 s")
                .doesNotContain(">rest<");
        assertThat(pictures.get("profile-hot-spots.svg"))
                .contains(">6.5 s, mean 90 ms<", ">0.720 s, mean 2.0 ms<", "678 µs", "909 ms")
                .containsSubsequence("B.y, history", "A.x, dwh");
        assertThat(pictures.get("profile-statements.svg")).contains(">0<", ">0.300<", ">18 000<");
        assertThat(pictures.get("profile-memory.svg"))
                .contains(">98 MiB<", ">556 MiB<", "1.45 GB", "1.2 GB", ">1 500 bytes<");
    }

    @Test
    void picturesAreWellFormed() throws Exception {
        for (String picture : pictures().values()) {
            assertThat(
                            DocumentBuilderFactory.newInstance()
                                    .newDocumentBuilder()
                                    .parse(
                                            new ByteArrayInputStream(
                                                    picture.getBytes(StandardCharsets.UTF_8)))
                                    .getDocumentElement()
                                    .getTagName())
                    .isEqualTo("svg");
        }
    }

    @Test
    void picturesAreWrittenBesideTheirData() throws Exception {
        pictures();
        assertThat(ProfilePictures.write(folder.resolve(ProfilePictures.DATA)))
                .hasSize(4)
                .allMatch(Files::isRegularFile);
    }

    @Test
    void figuresWithoutAProfileAreRefused() throws Exception {
        Path data = folder.resolve("plain.json");
        Files.writeString(data, "{\"scenario\": \"stable\"}");
        assertThatThrownBy(() -> ProfilePictures.write(data)).hasMessageContaining("--profile");
    }
}
