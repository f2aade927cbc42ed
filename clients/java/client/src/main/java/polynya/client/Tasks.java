package polynya.client;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** What the receiving thread gives a bot's thread to do, in its order. */
final class Tasks {
    /** How many events may wait for the bot before the server has to. */
    private static final int WAITING = 1024;
    private static final long LOOK_MS = 100;
    private static final Entry END = new Entry(null, bot -> { });

    private final BlockingQueue<Entry> queue = new LinkedBlockingQueue<>(WAITING);
    private volatile boolean ended;
    /** What the bot is told when something comes while it thinks on the opponents' time. */
    private volatile Cancellation pondering;

    /** Something for the bot to do. */
    @FunctionalInterface
    interface Task {
        void run(Bot bot) throws Exception;
    }

    private record Entry(Play play, Task task) {}

    /** A task for the bot; nothing if its thread has ended. */
    void put(Play play, Task task) throws InterruptedException {
        put(new Entry(play, task));
    }

    /** There will be no more. */
    void end() throws InterruptedException {
        put(END);
    }

    private void put(Entry entry) throws InterruptedException {
        boolean isPut = false;
        while (!isPut && !ended) {
            isPut = queue.offer(entry, LOOK_MS, TimeUnit.MILLISECONDS);
        }
        Cancellation until = pondering;
        if (until != null) {
            until.cancel();
        }
    }

    /**
     * Let the bot do them until there are no more.
     *
     * @throws Exception what the bot throws
     */
    void work(Bot bot) throws Exception {
        try {
            Play last = null;
            for (Entry next = next(bot, last); next != END; next = next(bot, last)) {
                last = next.play;
                next.task.run(bot);
            }
        } finally {
            ended = true;
        }
    }

    /** The next task; the bot may think about its last match until it comes. */
    private Entry next(Bot bot, Play last) throws Exception {
        if (last != null && last.goesOn()) {
            Cancellation until = new Cancellation(null);
            pondering = until;
            if (queue.isEmpty()) {
                bot.ponder(last.match(), until);
            }
        }
        return queue.take();
    }
}
