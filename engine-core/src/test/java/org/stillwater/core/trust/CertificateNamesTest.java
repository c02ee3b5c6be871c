package org.stillwater.core.trust;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The addresses that a certificate is valid for, as RFC 9525 and oVirt's certificates define them.
 */
class CertificateNamesTest {

    private static CertificateNames dns(String... names) {
        return new CertificateNames(List.of(names), List.of(), "ignored.example");
    }

    private static CertificateNames addresses(String... addresses) {
        return new CertificateNames(List.of(), List.of(addresses), "ignored.example");
    }

    private static CertificateNames commonName(@Nullable String name) {
        return new CertificateNames(List.of(), List.of(), name);
    }

    @ParameterizedTest
    @CsvSource({
        "host1.example, host1.example, true",
        "HOST1.Example, host1.eXample, true",
        "host1.example., host1.example, true",
        "host1.example, host1.example., true",
        "host1.example, host2.example, false",
        "host1.example, xhost1.example, false",
        "host1.example, host1.example.org, false",
        "host1, host1, true",
        "*.example.org, host1.example.org, true",
        "*.Example.ORG., HOST1.example.org, true",
        "*.example.org, a.host1.example.org, false",
        "*.example.org, example.org, false",
        "*.org, example.org, false",
        "*, host1, false",
        "h*.example.org, host1.example.org, false",
        "*1.example.org, host1.example.org, false",
        "host.*.org, host.example.org, false",
        "*.*.org, a.b.org, false",
        "xn--bcher-kva.example, XN--bcher-kva.example, true",
        "xn--bcher-kva.example, bücher.example, false",
        "xn--bcher-kva.example, bucher.example, false",
        "*.xn--bcher-kva.example, host1.xn--bcher-kva.example, true",
        "'', host1.example, false",
        "'host1.example ', host1.example, false",
        "192.0.2.1, 192.0.2.1, false",
        "*.0.2.1, 192.0.2.1, false"
    })
    void aDnsName(String inCertificate, String address, boolean matches) {
        assertThat(dns("other.example", inCertificate).match(address)).isEqualTo(matches);
    }

    @ParameterizedTest
    @CsvSource({
        "192.0.2.1, 192.0.2.1, true",
        "192.0.2.1, 192.0.2.10, false",
        "192.0.2.1, ::ffff:192.0.2.1, true",
        "2001:db8:0:0:0:0:0:1, 2001:DB8::1, true",
        "2001:db8:0:0:0:0:0:1, [2001:db8::1], true",
        "fe80:0:0:0:0:0:0:1, fe80::1%eth9, true",
        "2001:db8:0:0:0:0:0:1, 2001:db8::2, false",
        "192.0.2.1, host1.example, false",
        "nonsense, 192.0.2.1, false",
        "1:2:3:4:5:6:1.2.3.4, 1:2:3:4:5:6:102:304, true",
        "::, 0:0:0:0:0:0:0:0, true",
        "1::2::3, 1::2::3, false",
        "1:2:3:4:5:6:7, 1:2:3:4:5:6:7, false",
        "192.0.2.256, 192.0.2.256, false",
        "12345::1, 12345::1, false"
    })
    void anAddress(String inCertificate, String address, boolean matches) {
        assertThat(addresses(inCertificate).match(address)).isEqualTo(matches);
    }

    @ParameterizedTest
    @CsvSource({
        "host1.example, host1.example, true",
        "Host1.Example., HOST1.example, true",
        "192.0.2.1, 192.0.2.1, true",
        "2001:db8::1, 2001:db8:0::1, true",
        "host1.example, host2.example, false",
        "*.example.org, host1.example.org, false",
        "'host1.example,O=x', host1.example, false"
    })
    void theCommonNameWhereThereIsNoOther(String name, String address, boolean matches) {
        assertThat(commonName(name).match(address)).isEqualTo(matches);
    }

    @Test
    void theCommonNameDoesNotCountBesideAlternativeNames() {
        assertThat(dns("host1.example").match("ignored.example")).isFalse();
        assertThat(addresses("192.0.2.1").match("ignored.example")).isFalse();
        assertThat(
                        new CertificateNames(List.of("a.example"), List.of(), "192.0.2.1")
                                .match("192.0.2.1"))
                .isFalse();
        assertThat(commonName(null).match("host1.example")).isFalse();
    }

    @Test
    void otherTextsThanNamesMatchNothing() {
        String nul = "host1.example" + (char) 0 + ".evil.example";
        assertThat(dns(nul).match("host1.example")).isFalse();
        assertThat(dns(nul).match(nul)).isFalse();
        assertThat(dns("").match("")).isFalse();
        assertThat(dns("a".repeat(64) + ".example").match("a".repeat(64) + ".example")).isFalse();
        assertThat(
                        dns("*." + "a.".repeat(200) + "example")
                                .match("b." + "a.".repeat(200) + "example"))
                .isFalse();
        assertThat(dns("host1.example").match("%")).isFalse();
        assertThat(dns("host1.example").match(":")).isFalse();
    }

    @Test
    void itIsShownBoundedAndWithoutControls() {
        CertificateNames many =
                new CertificateNames(Collections.nCopies(2_000, "h.example"), List.of(), null);
        assertThat(many.describe())
                .isEqualTo("h.example, h.example, h.example, h.example, h.example and 1995 more");
        assertThat(commonName("a\nb" + (char) 0x202e).describe()).isEqualTo("a?b?");
        assertThat(commonName(null).describe()).isEqualTo("nothing");
    }
}
