package org.stillwater.dal.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.stillwater.dal.embedded.Command.Result;

/** Systems on which accounts exist, can be made, and cannot; none is changed. */
class ServerUserTest {

    private static final Result UNKNOWN = new Result(1, "id: no such user");
    private static final Result MADE =
            new Result(
                    0, "uid=991(stillwater-postgres) gid=990(stillwater-postgres) groups=990(x)");

    private final List<String> run = new ArrayList<>();

    @Test
    void anAccountThatIsThereIsTaken() {
        assertThat(ServerUser.obtain("pg", command -> answer(command, MADE)))
                .isEqualTo(new ServerUser(991, 990));
        assertThat(run).containsExactly("id pg");
    }

    private Result answer(List<String> command, Result result) {
        run.add(String.join(" ", command));
        return result;
    }

    @Test
    void anAccountIsMadeWithoutHomeAndShell() {
        ServerUser made =
                ServerUser.obtain(
                        "stillwater-postgres",
                        command -> {
                            boolean after = run.stream().anyMatch(r -> r.startsWith("useradd"));
                            return answer(
                                    command,
                                    !command.getFirst().equals("id")
                                            ? new Result(0, "")
                                            : after ? MADE : UNKNOWN);
                        });
        assertThat(made).isEqualTo(new ServerUser(991, 990));
        assertThat(run.get(1))
                .startsWith("useradd --system")
                .contains("--no-create-home", "--shell /usr/sbin/nologin")
                .endsWith("stillwater-postgres");
    }

    @Test
    void withoutANewAccountTheServerGetsAnIdOfItsOwn() {
        ServerUser without =
                ServerUser.obtain(
                        "stillwater-postgres",
                        command -> {
                            if (!command.getFirst().equals("id")) {
                                throw new IOException("no such program");
                            }
                            return answer(
                                    command, command.getLast().equals("60900") ? MADE : UNKNOWN);
                        });
        assertThat(without).isEqualTo(new ServerUser(60_901, 60_901));
    }

    @Test
    void theAccountsNobodyAndRootAreRefused() {
        for (String ids :
                List.of("uid=65534(nobody) gid=65534(nogroup)", "uid=0(root) gid=0(root)")) {
            assertThatExceptionOfType(EmbeddedPostgresException.class)
                    .isThrownBy(() -> ServerUser.obtain("nobody", _ -> new Result(0, ids)))
                    .withMessageContaining("stillwater.database.embedded.user");
        }
    }

    @Test
    void aGroupThatIsSharedIsNotTaken() {
        assertThat(ServerUser.obtain("pg", _ -> new Result(0, "uid=101(pg) gid=65534(nogroup) x")))
                .isEqualTo(new ServerUser(101, 101));
    }
}
