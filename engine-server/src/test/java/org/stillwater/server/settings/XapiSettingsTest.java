package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.stillwater.server.settings.XapiSettings.Encoding;
import org.stillwater.server.settings.XapiSettings.Sync;

class XapiSettingsTest {

    private static final String PREFIX = "stillwater.xapi.";
    private static final String POOL = PREFIX + "pools[0].";

    @Test
    void noPoolIsWatchedUnlessItIsNamed() {
        assertThat(Bound.bind(XapiSettings.class, Map.of()))
                .isEqualTo(
                        new XapiSettings(
                                List.of(),
                                Sync.EVENTS,
                                Duration.ofSeconds(30),
                                Duration.ofMinutes(2),
                                Duration.ofSeconds(3),
                                Duration.ofMinutes(1),
                                Duration.ofSeconds(5),
                                Duration.ofMinutes(2),
                                Duration.ofMillis(200),
                                Duration.ofSeconds(5),
                                Duration.ofSeconds(10),
                                Duration.ofSeconds(5),
                                1_000));
    }

    @Test
    void aPoolNeedsItsNameAndAnAddress() {
        XapiSettings settings =
                Bound.bind(
                        XapiSettings.class,
                        Map.of(POOL + "name", "lab", POOL + "addresses", "10.0.0.1,10.0.0.2"));
        assertThat(settings.pools())
                .containsExactly(
                        new XapiSettings.Pool(
                                "lab",
                                List.of("10.0.0.1", "10.0.0.2"),
                                443,
                                true,
                                null,
                                "root",
                                "",
                                null,
                                List.of(
                                        Encoding.JSON_RPC,
                                        Encoding.JSON_IN_XML,
                                        Encoding.XML_RPC)));
    }

    @Test
    void everythingOfAPoolCanBeSet() {
        XapiSettings settings =
                Bound.bind(
                        XapiSettings.class,
                        Map.ofEntries(
                                Map.entry(POOL + "name", "lab"),
                                Map.entry(POOL + "addresses", "10.0.0.1"),
                                Map.entry(POOL + "port", "4443"),
                                Map.entry(POOL + "trust", "/etc/ca.pem"),
                                Map.entry(POOL + "user", "reader"),
                                Map.entry(POOL + "password", "secret words"),
                                Map.entry(POOL + "uuid", "5f6e7d8c-9b0a-41f2-83e4-d5c6b7a89f01"),
                                Map.entry(POOL + "encodings", "xml-rpc"),
                                Map.entry(PREFIX + "sync", "records"),
                                Map.entry(PREFIX + "most-tags", "7"),
                                Map.entry(PREFIX + "metrics-standstill", "45s")));
        XapiSettings.Pool pool = settings.pools().getFirst();
        assertThat(settings.sync()).isEqualTo(Sync.RECORDS);
        assertThat(settings.mostTags()).isEqualTo(7);
        assertThat(settings.metricsStandstill()).isEqualTo(Duration.ofSeconds(45));
        assertThat(pool.port()).isEqualTo(4443);
        assertThat(pool.trust()).isEqualTo(Path.of("/etc/ca.pem"));
        assertThat(pool.encodings()).containsExactly(Encoding.XML_RPC);
        assertThat(settings.toString()).doesNotContain("secret words");
    }

    @Test
    void nonsenseIsRefused() {
        Map<String, String> lab = Map.of(POOL + "name", "lab", POOL + "addresses", "10.0.0.1");
        assertThat(Bound.refusal(XapiSettings.class, POOL + "name", "lab"))
                .contains("xapi.pools[].addresses");
        assertThat(Bound.refusal(XapiSettings.class, POOL + "addresses", "10.0.0.1"))
                .contains("xapi.pools[].name", "missing");
        assertThat(refused(lab, POOL + "port", "0")).contains("xapi.pools[].port");
        assertThat(refused(lab, POOL + "user", " ")).contains("xapi.pools[].user");
        assertThat(refused(lab, POOL + "uuid", "lab")).contains("xapi.pools[].uuid");
        assertThat(
                        Bound.refusal(
                                XapiSettings.class,
                                Map.of(
                                        POOL + "name", "lab",
                                        POOL + "addresses", "10.0.0.1",
                                        POOL + "tls", "false",
                                        POOL + "trust", "/etc/ca.pem")))
                .contains("xapi.pools[].trust");
        assertThat(
                        Bound.refusal(
                                XapiSettings.class,
                                Map.of(
                                        POOL + "name", "lab",
                                        POOL + "addresses", "10.0.0.1",
                                        PREFIX + "pools[1].name", "lab",
                                        PREFIX + "pools[1].addresses", "10.0.0.9")))
                .contains("pools of different names");
        for (String each :
                List.of(
                        "hold",
                        "patience",
                        "connect-timeout",
                        "call-timeout",
                        "metrics-timeout",
                        "metrics-standstill",
                        "reconnect-at-least",
                        "reconnect-at-most",
                        "refetch-pause",
                        "password-pause")) {
            assertThat(Bound.refusal(XapiSettings.class, PREFIX + each, "2h"))
                    .contains("xapi." + each);
        }
    }

    private static String refused(Map<String, String> pool, String name, String value) {
        Map<String, String> all = new java.util.HashMap<>(pool);
        all.put(name, value);
        return Bound.refusal(XapiSettings.class, all);
    }
}
