package org.stillwater.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
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
                                true,
                                false));
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
