package org.stillwater.benchmarks.xapi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.xapi.client.XapiEncoding;

class XapiRunTest {

    @Test
    @Tag("full")
    @Timeout(300)
    @DisplayName("X69 the same pool is read by each of the three encodings, with figures of each")
    void threeEncodings(@TempDir Path folder) throws Exception {
        XapiRun run =
                new XapiRun(
                        List.of(XapiRun.Size.S),
                        1,
                        0,
                        1,
                        new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8));
        List<XapiRun.Figure> figures = run.measure();
        assertThat(figures).hasSize(XapiEncoding.values().length);
        assertThat(figures)
                .allSatisfy(figure -> {
                    assertThat(figure.objects()).isGreaterThan(100);
                    assertThat(figure.cpuMillis()).isPositive();
                    assertThat(figure.visibleMillis()).isPositive();
                });
        Path file = folder.resolve("xapi.json");
        run.writeJson(file);
        assertThat(Files.readString(file)).contains("\"scenario\"", "JSON_IN_XML");
    }
}
