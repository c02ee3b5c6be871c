package org.stillwater.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.server.settings.AddressRange;

class ForwardedRequestTest {

    private static final long SMALL_STACK = 256L * 1024;
    private static final InetAddress PROXY = InetAddress.ofLiteral("10.0.0.1");
    private static final AddressRange TRUSTED = AddressRange.of("10.0.0.0/24");

    private static ForwardedRequest family(Map<String, List<String>> headers) {
        return ForwardedRequest.ofFamily(
                PROXY, TRUSTED::contains, name -> headers.getOrDefault(name, List.of()));
    }

    private static ForwardedRequest standard(String... lines) {
        return ForwardedRequest.ofStandard(
                PROXY,
                TRUSTED::contains,
                name -> name.equals("Forwarded") ? List.of(lines) : List.of());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "192.0.2.1|192.0.2.1",
                "198.51.100.9, 192.0.2.1|192.0.2.1",
                "198.51.100.9, 192.0.2.1, 10.0.0.2|192.0.2.1",
                "192.0.2.1:4711|192.0.2.1",
                "[2001:db8::1]:4711|2001:db8:0:0:0:0:0:1",
                "2001:db8::1|2001:db8:0:0:0:0:0:1",
                "10.0.0.3|10.0.0.3",
                "unknown|10.0.0.1",
                "192.0.2.1, unknown|10.0.0.1",
                "192.0.2.1, unknown, 10.0.0.2|10.0.0.2",
                "192.0.2.1,|10.0.0.1",
                "127.1|10.0.0.1",
                "0x7f000001|10.0.0.1",
                "engine.example|10.0.0.1",
                "192.0.2.1 evil|10.0.0.1",
            })
    void theClientIsTheFirstFromTheEndThatIsNoProxy(String header, String client) {
        assertThat(family(Map.of("X-Forwarded-For", List.of(header))).address().getHostAddress())
                .isEqualTo(client);
    }

    /** The client writes the header, and makes it as long as a head may be. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "for=\"%s\"",
                "for=\"%s",
                "%s",
                "%s=",
                "for=%s",
                "for=192.0.2.1;%s=\"%s\\\"%s\""
            })
    void aLongHeaderOverflowsNoStack(String form) throws Exception {
        String header = form.replace("%s", "a".repeat(8_000));
        AtomicReference<Object> result = new AtomicReference<>();
        Thread reader =
                new Thread(
                        null,
                        () -> result.set(standard(header).address().getHostAddress()),
                        "reader",
                        SMALL_STACK);
        reader.setUncaughtExceptionHandler((_, e) -> result.set(e));
        reader.start();
        reader.join();
        assertThat(result.get()).isEqualTo(header.startsWith("for=192") ? "192.0.2.1" : "10.0.0.1");
        String escaped = "for=\"" + "\\a".repeat(8_000) + "\", for=192.0.2.1";
        assertThat(standard(escaped).address().getHostAddress()).isEqualTo("192.0.2.1");
    }

    @Test
    void severalLinesAreOneList() {
        assertThat(
                        family(Map.of("X-Forwarded-For", List.of("198.51.100.9", "192.0.2.1")))
                                .address()
                                .getHostAddress())
                .isEqualTo("192.0.2.1");
    }

    @Test
    void schemeHostAndPortAreThoseOfTheLastProxy() {
        ForwardedRequest request =
                family(
                        Map.of(
                                "X-Forwarded-Proto", List.of("http, HTTPS"),
                                "X-Forwarded-Host", List.of("evil.example, Engine.Example:8443")));
        assertThat(request.scheme()).isEqualTo("https");
        assertThat(request.host()).isEqualTo("engine.example");
        assertThat(request.port()).isEqualTo(8443);
        assertThat(
                        family(
                                        Map.of(
                                                "X-Forwarded-Host", List.of("e:1"),
                                                "X-Forwarded-Port", List.of("2")))
                                .port())
                .isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"a/b", "a b", "a:99999999", "@", "http://a", "a:b", "\"a\""})
    void otherTextsThanHostsAreNone(String host) {
        assertThat(family(Map.of("X-Forwarded-Host", List.of(host))).host()).isNull();
        assertThat(family(Map.of("X-Forwarded-Proto", List.of(host))).scheme()).isNull();
        assertThat(family(Map.of("X-Forwarded-Port", List.of(host))).port()).isZero();
    }

    @Test
    void theStandardHeaderIsReadAsRfc7239Writes() {
        ForwardedRequest request =
                standard(
                        "for=198.51.100.9;proto=http;host=evil.example",
                        "For=\"[2001:db8::7]:47011\";"
                                + " Proto=https;by=10.0.0.1;host=\"engine.example:8443\"");
        assertThat(request.address().getHostAddress()).isEqualTo("2001:db8:0:0:0:0:0:7");
        assertThat(request.scheme()).isEqualTo("https");
        assertThat(request.host()).isEqualTo("engine.example");
        assertThat(request.port()).isEqualTo(8443);
        assertThat(standard("for=192.0.2.1, for=10.0.0.2").address().getHostAddress())
                .isEqualTo("192.0.2.1");
        assertThat(standard("for=192.0.2.1, for=_hidden").address()).isEqualTo(PROXY);
        assertThat(standard("for=\"192.0.2.1, for=1.2.3.4").address()).isEqualTo(PROXY);
        assertThat(standard(";;,,=,for=").address()).isEqualTo(PROXY);
    }

    @Test
    void aListWithoutEndIsReadForSoLong() {
        assertThat(standard("for=10.0.0.9,".repeat(500) + "for=10.0.0.2").address())
                .isEqualTo(InetAddress.ofLiteral("10.0.0.9"));
    }
}
