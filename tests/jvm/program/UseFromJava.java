import io.pocketintent.Candidate;
import io.pocketintent.Match;
import io.pocketintent.PocketIntentException;
import io.pocketintent.Reason;
import io.pocketintent.Recognizer;
import io.pocketintent.TemplateException;
import java.io.File;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Collections;
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
    throwsNullPointerException();
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

  private static void throwsNullPointerException() {
    try {
      Recognizer.open((String) null);
    } catch (NullPointerException expected) {
      return;
    }
    throw new AssertionError("null is no path");
  }

  private static void expect(boolean isRight) {
    if (!isRight) {
      throw new AssertionError();
    }
  }
}
