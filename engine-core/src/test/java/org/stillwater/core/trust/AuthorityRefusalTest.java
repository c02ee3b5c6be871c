package org.stillwater.core.trust;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AuthorityRefusalTest {

    private static String refusal(List<String> trusted, String issuer) {
        return AuthorityRefusal.describe("the host's certificate", trusted, issuer);
    }

    @Test
    void theWantedAuthorityComesBeforeTheOneThatSigned() {
        assertThat(refusal(List.of("CN=new"), "CN=old"))
                .isEqualTo(
                        "the host's certificate is not signed by the configured authority CN=new,"
                                + " but by CN=old");
    }

    @Test
    void anAuthorityOfTheSameNameIsCalledAnother() {
        assertThat(refusal(List.of("CN=one"), "CN=one"))
                .endsWith("CN=one, but by another one of the same name");
        assertThat(refusal(List.of("CN=one", "CN=one"), "CN=two"))
                .as("two keys of one name")
                .contains("the configured authority CN=one, but by CN=two");
    }

    @Test
    void severalAuthoritiesAreListedUpToALimit() {
        assertThat(refusal(List.of("CN=new", "CN=old"), "CN=foreign"))
                .contains("one of the configured authorities CN=new; CN=old, but by CN=foreign");
        assertThat(refusal(IntStream.range(0, 9).mapToObj(i -> "CN=" + i).toList(), "CN=foreign"))
                .contains("CN=4; and 4 more, but by CN=foreign")
                .doesNotContain("CN=5");
    }
}
