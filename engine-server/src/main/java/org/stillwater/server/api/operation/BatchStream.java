package org.stillwater.server.api.operation;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;
import org.stillwater.core.operation.Operation;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes a batch, or an operation of its own, as server-sent events: {@code snapshot}, {@code
 * changed} for each step, {@code end}. Used by one thread.
 */
final class BatchStream {

    private static final byte[] COMMENT = ":\n\n".getBytes(StandardCharsets.UTF_8);

    private final OutputStream out;
    private final JsonMapper mapper;

    BatchStream(OutputStream socket, JsonMapper mapper) {
        this.out = new BufferedOutputStream(socket);
        this.mapper = mapper;
    }

    /**
     * Some operations of a batch.
     *
     * @param batch how far all of it is
     * @param items operations
     */
    record Some(BatchController.Progress batch, List<OperationJsonModule.OperationView> items) {}

    void snapshot(
            Batch batch, Function<Operation, OperationJsonModule.OperationView> view, int chunk)
            throws IOException {
        List<Operation> all = batch.all();
        BatchController.Progress progress = BatchController.Progress.of(batch);
        for (int from = 0; from < all.size(); from += chunk) {
            List<Operation> some = all.subList(from, Math.min(all.size(), from + chunk));
            event("snapshot", new Some(progress, some.stream().map(view).toList()));
        }
        out.flush();
    }

    void changed(Batch batch, List<OperationJsonModule.OperationView> operations)
            throws IOException {
        if (!operations.isEmpty()) {
            event("changed", new Some(BatchController.Progress.of(batch), operations));
            out.flush();
        }
    }

    void end(Batch batch) throws IOException {
        event("end", BatchController.Progress.of(batch));
        out.flush();
    }

    /** A step of an operation of its own. */
    void operation(String name, OperationJsonModule.OperationView operation) throws IOException {
        event(name, operation);
        out.flush();
    }

    void heartBeat() throws IOException {
        out.write(COMMENT);
        out.flush();
    }

    private void event(String name, Object data) throws IOException {
        out.write(("event: " + name + "\ndata: ").getBytes(StandardCharsets.UTF_8));
        out.write(mapper.writeValueAsBytes(data));
        out.write("\n\n".getBytes(StandardCharsets.UTF_8));
    }
}
