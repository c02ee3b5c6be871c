package org.stillwater.cli;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Standard output of a command, which remembers why the answer could not be written: writers of
 * text keep no reason. Used by one thread.
 */
final class AnswerOutput extends FilterOutputStream {

    private @Nullable IOException failure;

    AnswerOutput(OutputStream out) {
        super(out);
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
        try {
            out.write(bytes, from, length);
        } catch (IOException e) {
            if (failure == null) {
                failure = e;
            }
            throw e;
        }
    }

    /**
     * The exit code of a command that would end with {@code code}: a disk that is full is reported,
     * a reader that has closed a pipe, such as {@code head}, has what it wants.
     */
    int exitCode(int code, PrintWriter err) {
        String why = failure == null ? null : String.valueOf(failure.getMessage());
        if (why == null || why.toLowerCase(Locale.ROOT).contains("pipe")) {
            return code;
        }
        err.println("stillwater: cannot write the answer: " + Texts.visible(why));
        return code == 0 ? Exit.REFUSED : code;
    }
}
