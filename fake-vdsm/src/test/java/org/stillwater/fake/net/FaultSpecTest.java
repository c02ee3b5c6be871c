package org.stillwater.fake.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.stillwater.fake.net.FaultSpec.Cut;
import org.stillwater.fake.net.HostTransport.Drop;
import tools.jackson.databind.json.JsonMapper;

class FaultSpecTest {

    private static final JsonMapper MAPPER = JsonMapper.shared();

    private static FaultSpec read(String json) {
        return FaultSpec.fromJson(MAPPER.readTree(json));
    }

    @ParameterizedTest
    @EnumSource(FaultKind.class)
    void everyKindIsReadAndShown(FaultKind kind) {
        FaultSpec spec = read("{\"kind\": \"" + kind.code() + "\"}");
        assertThat(spec).isEqualTo(FaultSpec.of(kind));
        assertThat(FaultSpec.fromJson(spec.toJson())).isEqualTo(spec);
    }

    @Test
    void everyMemberIsRead() {
        FaultSpec spec =
                read(
                        """
                        {"kind": "drop", "host": "host-00*", "verb": "Host.getStats",
                         "connection": 7, "probability": 0.5, "count": 10, "afterMillis": 1,
                         "durationMillis": 2, "delayMillis": 3, "maxDelayMillis": 4, "code": 5,
                         "message": "m", "bytes": 6, "perSecond": 8, "vm": "v", "field": "f",
                         "at": "within", "close": "rst", "certificate": "wrong-ca"}
                        """);
        assertThat(spec)
                .isEqualTo(
                        FaultSpec.of(FaultKind.DROP)
                                .withHost("host-00*")
                                .withVerb("Host.getStats")
                                .withConnection(7)
                                .withProbability(0.5)
                                .withCount(10)
                                .withWindow(Duration.ofMillis(1), Duration.ofMillis(2))
                                .withDelay(Duration.ofMillis(3), Duration.ofMillis(4))
                                .withError(5, "m")
                                .withBytes(6)
                                .withPerSecond(8)
                                .withVm("v")
                                .withField("f")
                                .withCut(Cut.WITHIN, Drop.RST)
                                .withCertificate(FaultSpec.BadCertificate.WRONG_CA));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "[]| a fault is a JSON object",
                "{}| 'kind' is missing",
                "{\"kind\": \"gremlin\"}| unknown fault kind 'gremlin'; one of [latency,",
                "{\"kind\": \"latency\", \"delay\": 5}| unknown member 'delay'",
                "{\"kind\": \"latency\", \"delayMillis\": \"5\"}| 'delayMillis' must be an integer",
                "{\"kind\": \"latency\", \"delayMillis\": 5, \"maxDelayMillis\": 4}|"
                        + " maxDelayMillis",
                "{\"kind\": \"latency\", \"probability\": 2}| between 0 and 1",
                "{\"kind\": \"latency\", \"count\": 0}| count must be positive",
                "{\"kind\": \"drop\", \"at\": \"soon\"}| one of [before, within, after]"
            })
    void mistakesAreNamed(String json, String message) {
        assertThatThrownBy(() -> read(json))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }
}
