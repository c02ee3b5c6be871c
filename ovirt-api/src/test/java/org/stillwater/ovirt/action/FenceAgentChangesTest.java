package org.stillwater.ovirt.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.fence.FenceAgent;
import org.stillwater.core.id.HostId;

class FenceAgentChangesTest {

    private static final FenceAgent AGENT =
            new FenceAgent(
                    "ipmilan",
                    "192.0.2.8",
                    null,
                    "root",
                    "secret",
                    Map.of("hexadecimal_kg", "c0ffee42", "lanplus", "1"));

    private final FenceAgentChanges changes =
            new FenceAgentChanges(null, new Power(), Duration.ZERO);

    /** Allows every agent; one option is secret. */
    private static final class Power implements FenceAgentAccess {
        @Override
        public List<FenceAgent> agents(HostId host) {
            throw new UnsupportedOperationException();
        }

        @Override
        public @Nullable String refusal(FenceAgent agent) {
            return null;
        }

        @Override
        public boolean isSecret(String type, String option) {
            return option.equals("hexadecimal_kg");
        }

        @Override
        public boolean replace(HostId host, List<FenceAgent> agents) {
            throw new UnsupportedOperationException();
        }
    }

    private FenceAgent changed(String body) {
        return changes.agent(Bodies.of(body), AGENT, "edit Fence Agent");
    }

    /** A user could else send the secrets to a machine of its own. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "<agent><address>198.51.100.1</address></agent>",
                "<agent><type>ilo4</type></agent>",
                "<agent><address>198.51.100.1</address><options/></agent>"
            })
    void secretsAreKeptForOneTypeAndAddress(String body) {
        assertThatThrownBy(() -> changed(body))
                .isInstanceOfSatisfying(
                        Refused.class, refused -> assertThat(refused.status()).isEqualTo(409))
                .hasMessageContaining("its password and its option hexadecimal_kg; send it again")
                .hasMessageNotContaining("c0ffee42");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    "password":"new"                                                                  | its option hexadecimal_kg;
                    "options":{"option":[{"name":"hexadecimal_kg","value":"aa"}]}                     | its password;
                    """)
    void eachMissingSecretIsNamed(String sent, String missing) {
        assertThatThrownBy(() -> changed("{\"address\":\"198.51.100.1\"," + sent + "}"))
                .isInstanceOf(Refused.class)
                .hasMessageContaining("does not keep " + missing);
    }

    @Test
    void anAgentMovesWithSecretsThatAreSent() {
        FenceAgent moved =
                changed(
                        "{\"address\":\"198.51.100.1\",\"password\":\"new\",\"options\":{\"option\":[{\"name\":\"hexadecimal_kg\",\"value\":\"aa\"}]}}");
        assertThat(moved.address()).isEqualTo("198.51.100.1");
        assertThat(moved.password()).isEqualTo("new");
        assertThat(moved.options()).isEqualTo(Map.of("hexadecimal_kg", "aa"));
    }

    /** As clients send an agent that they read before. */
    @Test
    void otherChangesKeepTheSecrets() {
        FenceAgent changed =
                changed(
                        "{\"type\":\"ipmilan\",\"address\":\"192.0.2.8\",\"port\":\"6230\",\"username\":\"admin\",\"options\":{\"option\":[{\"name\":\"lanplus\",\"value\":\"0\"}]}}");
        assertThat(changed.port()).isEqualTo(6_230);
        assertThat(changed.user()).isEqualTo("admin");
        assertThat(changed.password()).isEqualTo("secret");
        assertThat(changed.options())
                .isEqualTo(Map.of("hexadecimal_kg", "c0ffee42", "lanplus", "0"));
    }
}
