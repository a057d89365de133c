/* Negations and contractions, by tools/plain_tables.py; do not edit. */

/** The words that are never corrected: docs/correction.md. */
export const KEPT_WORDS = `
ain aint aren arent can cannot cant cmon couldn couldnt couldve daren darent didn didnt doesn
doesnt don dont hadn hadnt hasn hasnt haven havent hed heres hes hows isn isnt itd itll ive lets
mightn mightnt mightve mustn mustnt mustve needn neednt neither never nor not oughtn oughtnt
shan shant shed shell shes shouldn shouldnt shouldve thatd thatll thats thered therell theres
theyd theyll theyre theyve twas wasn wasnt wed well were weren werent weve whatd whatll whatre
whats whens wheres whod wholl whos whove whys without won wont wouldn wouldnt wouldve yall youd
youll youre youve
`;
