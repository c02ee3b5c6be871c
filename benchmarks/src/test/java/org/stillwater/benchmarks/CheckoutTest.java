package org.stillwater.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckoutTest {

    @TempDir private Path folder;

    @Test
    void figuresAreOfACommitUnlessSomethingElseThanFiguresChanged() throws Exception {
        assertThat(Checkout.commit(folder)).isEqualTo("unknown");
        assumeTrue(git("init", "-q"), "git is not installed");
        write("README.md", "one");
        write("docs/figures.md", "one");
        write("docs/figures/a.json", "{}");
        git("add", "-A");
        git("-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "--no-gpg-sign", "-m", "m");
        String commit = Checkout.commit(folder);
        assertThat(commit).matches("[0-9a-f]{10,}");

        write("docs/figures/a.json", "{\"vms\": 1}"); // measured
        write("docs/figures/b.json", "{}");
        assertThat(Checkout.commit(folder.resolve("docs"))).isEqualTo(commit);

        write("README.md", "two");
        assertThat(Checkout.commit(folder)).isEqualTo(commit + "-dirty");
        assertThat(Checkout.commit(folder.resolve("docs"))).isEqualTo(commit + "-dirty");
    }

    @Test
    void theRootIsWhereTheFiguresPageIs() throws Exception {
        write("docs/figures.md", "one");
        assertThat(Checkout.root(folder.resolve("docs"))).isEqualTo(folder.toAbsolutePath());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Checkout.root(folder.resolveSibling("elsewhere")));
    }

    private void write(String file, String text) throws IOException {
        Path path = folder.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private boolean git(String... arguments) throws InterruptedException {
        List<String> command = new ArrayList<>(List.of("git"));
        command.addAll(List.of(arguments));
        try {
            return new ProcessBuilder(command)
                            .directory(folder.toFile())
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        }
    }
}
