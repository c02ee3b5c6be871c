package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.sql.SQLDataException;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.stillwater.core.definition.VmConsole;
import org.stillwater.core.id.HostId;
import org.stillwater.core.operation.OperationParameters;

/** Every text here is in databases: it must always be readable. */
class ParametersJsonTest {

    private static final HostId HOST = new HostId(new UUID(0, 1));

    record Written(OperationParameters parameters, String text) {}

    static Stream<Written> written() {
        String host = "\"host\":\"00000000-0000-0000-0000-000000000001\"";
        return Stream.of(
                new Written(OperationParameters.NONE, "{\"kind\":\"none\"}"),
                new Written(
                        OperationParameters.Run.DEFAULT,
                        "{\"kind\":\"run\",\"paused\":false,\"cause\":\"REQUEST\"}"),
                new Written(
                        new OperationParameters.Run(HOST, true, OperationParameters.Cause.LEASE),
                        "{\"kind\":\"run\"," + host + ",\"paused\":true,\"cause\":\"LEASE\"}"),
                new Written(
                        new OperationParameters.Run(
                                null, false, OperationParameters.Cause.REQUEST, "{\"x\":1}"),
                        "{\"kind\":\"run\",\"paused\":false,\"cause\":\"REQUEST\","
                                + "\"definition\":\"{\\\"x\\\":1}\"}"),
                new Written(
                        new OperationParameters.Shutdown("a \"b\"\n", 60),
                        "{\"kind\":\"shutdown\",\"message\":\"a"
                                + " \\\"b\\\"\\n\",\"delaySeconds\":60}"),
                new Written(
                        new OperationParameters.Reboot(true),
                        "{\"kind\":\"reboot\",\"cold\":true}"),
                new Written(
                        new OperationParameters.Migrate(HOST, "drain"),
                        "{\"kind\":\"migrate\"," + host + ",\"cause\":\"drain\"}"),
                new Written(
                        new OperationParameters.Console("ada", new UUID(0, 2), 120),
                        "{\"kind\":\"console\",\"user\":\"ada\",\"userId\":\"00000000-0000-0000-0000-000000000002\","
                            + "\"seconds\":120}"),
                new Written(
                        new OperationParameters.Console("ada", null, 9, VmConsole.Protocol.SPICE),
                        "{\"kind\":\"console\",\"user\":\"ada\",\"seconds\":9,\"protocol\":\"SPICE\"}"),
                new Written(
                        new OperationParameters.Definition("{\"x\":1}"),
                        "{\"kind\":\"definition\",\"definition\":\"{\\\"x\\\":1}\"}"),
                new Written(
                        new OperationParameters.Cd("/data/tools.iso"),
                        "{\"kind\":\"cd\",\"image\":\"/data/tools.iso\"}"),
                new Written(new OperationParameters.Cd(null), "{\"kind\":\"cd\"}"),
                new Written(
                        new OperationParameters.Device(
                                OperationParameters.DeviceType.DISK, new UUID(0, 3)),
                        "{\"kind\":\"device\",\"type\":\"DISK\","
                                + "\"device\":\"00000000-0000-0000-0000-000000000003\"}"),
                new Written(
                        new OperationParameters.Fence(false),
                        "{\"kind\":\"fence\",\"dryRun\":false}"));
    }

    @ParameterizedTest
    @MethodSource("written")
    void everyKindHasItsText(Written example) throws SQLDataException {
        assertThat(ParametersJson.write(example.parameters())).isEqualTo(example.text());
        assertThat(ParametersJson.read(example.text())).isEqualTo(example.parameters());
    }

    @Test
    void everyKindIsAmongTheExamples() {
        assertThat(written().<Class<?>>map(example -> example.parameters().getClass()))
                .contains(OperationParameters.class.getPermittedSubclasses());
    }

    @Test
    void membersOfANewerEngineAreIgnored() throws SQLDataException {
        assertThat(ParametersJson.read("{\"later\":{\"a\":[1]},\"cold\":true,\"kind\":\"reboot\"}"))
                .isEqualTo(new OperationParameters.Reboot(true));
    }

    @Test
    void charactersThatPostgresCannotKeepAreReplaced() {
        assertThat(ParametersJson.write(new OperationParameters.Shutdown("a\0b", 0)))
                .contains("a\uFFFDb");
    }

    @Test
    void unknownParametersAreRefused() {
        for (String text :
                new String[] {
                    "{\"kind\":\"dance\"}",
                    "{\"kind\":\"run\"}",
                    "{}",
                    "[]",
                    "{",
                    "{\"kind\":\"run\",\"host\":\"x\"}"
                }) {
            assertThatExceptionOfType(SQLDataException.class)
                    .as(text)
                    .isThrownBy(() -> ParametersJson.read(text));
        }
    }
}
