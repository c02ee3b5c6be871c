package org.stillwater.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OptionsTest {

    @Test
    void withoutOptionsAllNineSizesAndFourOperationsRun() throws Exception {
        Options options = Options.of();
        assertThat(options.recordBytes()).hasSize(9).startsWith(65_536).endsWith(16_777_216);
        assertThat(options.operations()).containsExactly(DiskOperation.values());
        assertThat(options.fileBytes()).isEqualTo(1L << 30);
        assertThat(options.seconds()).isEqualTo(5);
        assertThat(options.buffered()).isFalse();
    }

    @Test
    void eachOptionIsRead() throws Exception {
        Options options =
                Options.of(
                        "--dir",
                        "/mnt",
                        "--size=2g",
                        "--seconds=9",
                        "--records=64k,1M",
                        "--operations=random-read",
                        "--engine=direct",
                        "--buffered",
                        "--json=x.json",
                        "--dry-run");
        assertThat(options)
                .isEqualTo(
                        new Options(
                                Path.of("/mnt"),
                                2L << 30,
                                9,
                                List.of(65_536, 1_048_576),
                                List.of(DiskOperation.RANDOM_READ),
                                Options.EngineChoice.DIRECT,
                                true,
                                Path.of("x.json"),
                                null,
                                null,
                                true,
                                false));
    }

    @Test
    void optionsForTheEngineAreRead() throws Exception {
        String id = "00000000-0000-0001-0000-000000000001";
        Options options =
                Options.of(
                        "--vm=" + id,
                        "--post=https://engine.example:8443/",
                        "--token-file=token",
                        "--ca=ca.crt",
                        "--every=6h",
                        "--budget=30m/day",
                        "--runs=3");
        assertThat(options.target()).isEqualTo(new Target("vm", UUID.fromString(id)));
        assertThat(options.posting())
                .isEqualTo(
                        new Posting(
                                URI.create("https://engine.example:8443"),
                                Path.of("token"),
                                Path.of("ca.crt"),
                                new Schedule(Duration.ofHours(6), Duration.ofMinutes(30), 3)));
        assertThat(options.mostSeconds()).isEqualTo(180);
        assertThat(
                        Options.of(
                                        "--host=" + id,
                                        "--post=http://127.0.0.1:80",
                                        "--token-file=token")
                                .posting())
                .isEqualTo(
                        new Posting(
                                URI.create("http://127.0.0.1:80"), Path.of("token"), null, null));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    --post=https://e                                        | --post takes --vm or --host
                    --vm=1-1-1-1-1 --post=https://e                         | --post takes --token-file
                    --vm=one                                                | a UUID
                    --vm=1-1-1-1-1 --host=1-1-1-1-1                         | name one machine
                    --token-file=t                                          | take --post
                    --every=6h                                              | take --post
                    --post=http://engine.example                            | as https://
                    --post=https://user@engine.example                      | as https://
                    --post=https://engine.example/api                       | without a path
                    --every=5s                                              | --every must be a time from 60s to 720h
                    --budget=2d                                             | --budget must be a time from 1s to 24h
                    --vm=1-1-1-1-1 --post=https://e --token-file=t --runs=2 | take --every
                    """)
    void wrongOptionsForTheEngineAreRefused(String options, String message) {
        assertThatThrownBy(() -> Options.of(options.split(" ")))
                .isInstanceOf(WrongUsage.class)
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    --size=65g             | --size must be a size from 16 MiB to 64 GiB
                    --size=17m             | a multiple of 16 MiB
                    --size=999999999999g   | --size must be
                    --size=-1              | --size must be
                    --seconds=0            | --seconds must be a number from 1 to 300
                    --seconds=x            | --seconds must be a number from 1 to 300
                    --records=32k          | --records must be a size from 64 KiB to 16 MiB
                    --records=96k          | powers of two
                    --records=             | --records must be
                    --operations=trim      | there is no operation trim
                    --engine=dd            | --engine is auto, fio or direct
                    --dry-run=yes          | --dry-run takes no value
                    --json                 | --json takes a value
                    --fast                 | there is no option --fast
                    """)
    void aWrongOneIsRefusedByName(String argument, String message) {
        assertThatThrownBy(() -> Options.of(argument))
                .isInstanceOf(WrongUsage.class)
                .hasMessageContaining(message);
    }
}
