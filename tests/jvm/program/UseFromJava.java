import io.pocketintent.Candidate;
import io.pocketintent.Match;
import io.pocketintent.Native;
import io.pocketintent.PocketIntentException;
import io.pocketintent.Reason;
import io.pocketintent.Recognizer;
import io.pocketintent.TemplateException;
import java.io.File;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.AbstractCollection;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;

/** Each call of the library from Java: a bot file with `on` and `off`, and a path for another. */
final class UseFromJava {
  public static void main(String[] arguments) throws Exception {
    byte[] content = Files.readAllBytes(new File(arguments[0]).toPath());
    try (Recognizer recognizer = Recognizer.open(arguments[0])) {
      Match match = recognizer.match("lamp off");
      expect("off".equals(match.getNearest()) && match.getScore() > 0);
      expect((match.getIntent() == null) == (match.getReason() != null));
      expect(match.getMargin() != null && "on".equals(match.getRunnerUp().getIntent()));
      expect(match.equals(recognizer.match("lamp off")));
      expect(recognizer.match("").getReason() == Reason.UNKNOWN_WORDS);
      List<Candidate> ranking = recognizer.rank("lamp off");
      expect(ranking.size() == 2 && recognizer.rank("lamp off", 1).size() == 1);
      expect(recognizer.read("lamp off").equals("lamp off"));
      expect(recognizer.encode("lamp").length == recognizer.getDim());
      expect(recognizer.getKind().equals("contextual"));
      recognizer.addIntent("jazz", Arrays.asList("play some jazz", "jazz"));
      recognizer.addIntent("jazz", Collections.emptyList(), Arrays.asList("no jazz"), 0.2);
      expect(recognizer.getIntents().equals(Arrays.asList("on", "off", "jazz")));
      expect(recognizer.getTemplates().contains("no jazz"));
      recognizer.removeIntent("on");
      recognizer.save(arguments[1]);
      expect(Arrays.equals(Files.readAllBytes(new File(arguments[1]).toPath()), recognizer.bytes()));
      recognizer.setTemplates("{\"food\": [\"pizza\"]}");
      expect(recognizer.getIntents().equals(Collections.singletonList("food")));
      throwsTemplateException(recognizer);
    }
    for (Recognizer opened :
        Arrays.asList(
            Recognizer.open(new File(arguments[0])),
            Recognizer.open(content),
            Recognizer.open(ByteBuffer.wrap(content)),
            Recognizer.fromTemplates(arguments[0], "{\"on\": [\"lamp\"], \"off\": [\"stop\"]}"))) {
      expect(opened.getIntents().equals(Arrays.asList("on", "off")));
      opened.close();
    }
    refusesNull(arguments[0]);
    refusesNullInC();
    countsWhatItCopies(arguments[0]);
    System.out.println("\"done\"");
  }

  private static void throwsTemplateException(Recognizer recognizer) {
    try {
      recognizer.removeIntent("missing");
    } catch (TemplateException error) {
      PocketIntentException base = error;
      expect(!base.getMessage().isEmpty());
      return;
    }
    throw new AssertionError("a missing intent was removed");
  }

  private static void refusesNull(String path) {
    try (Recognizer recognizer = Recognizer.open(path)) {
      List<String> texts = Arrays.asList("jazz", null);
      List<String> none = Collections.emptyList();
      throwing(IllegalArgumentException.class, () -> recognizer.addIntent("jazz", texts));
      throwing(IllegalArgumentException.class, () -> recognizer.addIntent("jazz", none, texts));
      throwing(NullPointerException.class, () -> recognizer.addIntent("jazz", null));
      throwing(NullPointerException.class, () -> recognizer.addIntent("jazz", none, null));
      throwing(NullPointerException.class, () -> recognizer.addIntent(null, none));
      throwing(NullPointerException.class, () -> recognizer.removeIntent(null));
      throwing(NullPointerException.class, () -> recognizer.setTemplates(null));
      throwing(NullPointerException.class, () -> recognizer.match(null));
      throwing(NullPointerException.class, () -> recognizer.rank(null));
      throwing(NullPointerException.class, () -> recognizer.read(null));
      throwing(NullPointerException.class, () -> recognizer.encode(null));
      throwing(NullPointerException.class, () -> recognizer.save((String) null));
      throwing(NullPointerException.class, () -> recognizer.save((File) null));
      expect(recognizer.getIntents().equals(Arrays.asList("on", "off")));
    }
    throwing(NullPointerException.class, () -> Recognizer.open((String) null));
    throwing(NullPointerException.class, () -> Recognizer.open((File) null));
    throwing(NullPointerException.class, () -> Recognizer.open((byte[]) null));
    throwing(NullPointerException.class, () -> Recognizer.open((ByteBuffer) null));
    throwing(NullPointerException.class, () -> Recognizer.fromTemplates(path, null));
    throwing(NullPointerException.class, () -> Recognizer.fromTemplates((String) null, "{}"));
  }

  /** R8 may remove the checks of Kotlin. */
  private static void refusesNullInC() {
    String[] texts = {"jazz", null};
    throwing(NullPointerException.class, () -> Native.openFile(null, false));
    throwing(NullPointerException.class, () -> Native.match(0, 0, null));
    throwing(NullPointerException.class, () -> Native.rank(0, 0, null, 1));
    throwing(NullPointerException.class, () -> Native.read(0, 0, null));
    throwing(NullPointerException.class, () -> Native.encode(0, 0, null));
    throwing(NullPointerException.class, () -> Native.addIntent(0, texts, 1, 0, false));
    throwing(NullPointerException.class, () -> Native.removeIntent(0, null));
    throwing(NullPointerException.class, () -> Native.setTemplates(0, null));
    throwing(NullPointerException.class, () -> Native.save(0, null));
  }

  /** A collection that another thread makes larger has other sizes before and after it is copied. */
  private static void countsWhatItCopies(String path) {
    Collection<String> growing =
        new AbstractCollection<String>() {
          private int numAsked = 0;

          @Override
          public Iterator<String> iterator() {
            return Collections.singleton("play some jazz").iterator();
          }

          @Override
          public int size() {
            return ++numAsked;
          }
        };
    expect(growing.size() < growing.size());
    try (Recognizer recognizer = Recognizer.open(path)) {
      recognizer.addIntent("jazz", growing);
      recognizer.addIntent("jazz", Collections.emptyList(), growing);
      expect("jazz".equals(recognizer.match("play some jazz").getNearest()));
    }
  }

  private static void throwing(Class<? extends Throwable> expected, Runnable call) {
    try {
      call.run();
    } catch (Throwable error) {
      expect(expected.isInstance(error));
      return;
    }
    throw new AssertionError("nothing was thrown");
  }

  private static void expect(boolean isRight) {
    if (!isRight) {
      throw new AssertionError();
    }
  }
}
